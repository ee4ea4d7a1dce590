package io.stoker.agent.runner;

import io.stoker.agent.attempt.Input;
import java.util.function.Consumer;

/** Takes what happens to an agent, in the order in which it comes, from any thread. */
public interface Inputs extends Consumer<Input> {
  /**
   * Takes something, and says when it has been dealt with.
   *
   * @param done run then, on the agent's thread
   */
  default void accept(Input input, Runnable done) {
    accept(input);
    done.run();
  }
}
