package io.stoker.agent.loop;

import io.stoker.agent.attempt.Input;

/** The way to an agent's thread, from any thread. */
public interface Mailbox {
  /** Hands an input over; they are dealt with in the order in which they come. */
  void post(Input input);

  /** Runs a task on the agent's thread, when no input is being dealt with. */
  void run(Runnable task);

  /** The agent cannot go on: it must be started again. */
  void fail(Throwable why);
}
