package io.stoker.agent.attempt;

import java.util.Optional;

/** Where a live attempt stands. Only the transitions that exist can be written. */
public sealed interface Phase {

  /** Its process, if it has one. */
  default Optional<RunProcess> process() {
    return Optional.empty();
  }

  /** Accepted; it starts as soon as the lease allows it. */
  record Waiting() implements Phase {
    public Launching launch() {
      return new Launching();
    }
  }

  /** Handed to the runner; whether a process exists is not known yet. */
  record Launching() implements Phase {
    public Running started(RunProcess process) {
      return new Running(process);
    }

    /** The runner made sure that it has not started and will not. */
    public Waiting unclaimed() {
      return new Waiting();
    }

    public Ending kill(KillReason reason, String message) {
      return new Ending(reason, message, Optional.empty());
    }
  }

  record Running(RunProcess running) implements Phase {
    @Override
    public Optional<RunProcess> process() {
      return Optional.of(running);
    }

    public Ending kill(KillReason reason, String message) {
      return new Ending(reason, message, Optional.of(running));
    }
  }

  /**
   * Told to a worker of its pool that has another one to run first: for what is known it may begin
   * at any moment.
   *
   * @param worker as the next agent is to know of it
   */
  record ToldAhead(RunProcess worker) implements Phase {
    @Override
    public Optional<RunProcess> process() {
      return Optional.of(worker);
    }

    public Running started(RunProcess process) {
      return new Running(process);
    }

    /** Its worker is gone and has not begun it. */
    public Launching unbegun() {
      return new Launching();
    }
  }

  /** Being killed: it ends when no process of it is left. */
  record Ending(KillReason reason, String message, Optional<RunProcess> process) implements Phase {
    /** A process showed itself only now; it dies all the same. */
    public Ending started(RunProcess late) {
      return new Ending(reason, message, Optional.of(late));
    }
  }
}
