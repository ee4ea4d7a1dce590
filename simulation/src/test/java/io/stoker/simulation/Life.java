package io.stoker.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** From the start of a simulated process to its death. What it had planned dies with it. */
final class Life {
  /** What a process is. */
  enum Kind {
    DISPATCHER,
    AGENT,
    /** A machine, or the world outside: it ends only when it is made to. */
    MACHINE
  }

  private final Kind kind;
  private final String name;
  private final Optional<String> host;
  private final List<Runnable> last = new ArrayList<>();
  private Runnable crash = () -> {};
  private boolean over;
  private long pausedUntil;

  Life(Kind kind, String name) {
    this(kind, name, Optional.empty());
  }

  /**
   * @param host on which it is, if on one
   */
  Life(Kind kind, String name, Optional<String> host) {
    this.kind = kind;
    this.name = name;
    this.host = host;
  }

  String name() {
    return name;
  }

  /** On which it is, if on one. */
  Optional<String> host() {
    return host;
  }

  /** What its death at a boundary between two effects is; empty if it does not die there. */
  Optional<Fault> frailty() {
    return switch (kind) {
      case DISPATCHER -> Optional.of(Fault.CRASH_DISPATCHER);
      case AGENT -> Optional.of(Fault.CRASH_AGENT);
      case MACHINE -> Optional.empty();
    };
  }

  boolean over() {
    return over;
  }

  long pausedUntil() {
    return pausedUntil;
  }

  /** As SIGSTOP, and SIGCONT later: nothing of it happens until then, and then all at once. */
  void pause(long until) {
    pausedUntil = Math.max(pausedUntil, until);
  }

  /** What the world does when this ends, such as freeing its locks. */
  void atEnd(Runnable action) {
    last.add(action);
  }

  /** What happens besides when it dies at a boundary, and is not ended by something else. */
  void atCrash(Runnable action) {
    crash = action;
  }

  /** Dies at a boundary. */
  void crash() {
    crash.run();
    end();
  }

  void end() {
    if (!over) {
      over = true;
      last.forEach(Runnable::run);
    }
  }
}
