package io.stoker.agent.attempt;

import java.util.Optional;

/**
 * The phase of a live attempt. Each phase offers its legal successors, and they are made here
 * alone.
 */
public sealed interface Phase {
  /** An attempt was accepted. */
  static Phase accepted() {
    return new Waiting();
  }

  /** Its process, if it has one. */
  default Optional<RunProcess> process() {
    return Optional.empty();
  }

  /** Its process runs. In a journal this follows any phase: it does not hold all of them. */
  default Phase started(RunProcess process) {
    return new Running(process);
  }

  /** It is to be ended; the first reason counts. */
  default Ending kill(KillReason reason, String message) {
    return new Ending(reason, message, process());
  }

  /**
   * It is to have another process.
   *
   * @throws IllegalStateException if it cannot have one
   */
  default Phase again() {
    throw new IllegalStateException(this + " is followed by no Waiting");
  }

  /** Accepted; it starts as soon as the lease allows it. */
  record Waiting() implements Phase {
    public Launching launch() {
      return new Launching();
    }

    @Override
    public Phase again() {
      return this;
    }
  }

  /** Handed to the runner; whether a process exists is not known yet. */
  record Launching() implements Phase {
    /** The runner made sure that it has not started and will not. */
    @Override
    public Waiting again() {
      return new Waiting();
    }
  }

  record Running(RunProcess running) implements Phase {
    @Override
    public Optional<RunProcess> process() {
      return Optional.of(running);
    }

    /** Its worker has another one to run first. */
    public ToldAhead ahead() {
      return new ToldAhead(running);
    }

    @Override
    public Waiting again() {
      return new Waiting();
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

    /** Its worker is gone and has not begun it. */
    public Launching unbegun() {
      return new Launching();
    }
  }

  /** Being killed: it ends when no process of it is left. */
  record Ending(KillReason reason, String message, Optional<RunProcess> process) implements Phase {
    /** A process showed itself only now; it dies all the same. */
    @Override
    public Ending started(RunProcess late) {
      return new Ending(reason, message, Optional.of(late));
    }

    @Override
    public Ending kill(KillReason other, String why) {
      return this;
    }

    /** No process has ever run it. */
    public Ending unbegun() {
      return new Ending(reason, message, Optional.empty());
    }
  }
}
