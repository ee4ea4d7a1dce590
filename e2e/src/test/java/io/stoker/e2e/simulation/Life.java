package io.stoker.e2e.simulation;

import java.util.ArrayList;
import java.util.List;

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
  private final List<Runnable> last = new ArrayList<>();
  private boolean over;
  private long pausedUntil;

  Life(Kind kind, String name) {
    this.kind = kind;
    this.name = name;
  }

  String name() {
    return name;
  }

  /** How probable its death is at each boundary between two effects. */
  double frailty(Faults faults) {
    return switch (kind) {
      case DISPATCHER -> faults.crashDispatcher();
      case AGENT -> faults.crashAgent();
      case MACHINE -> 0;
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

  void end() {
    if (!over) {
      over = true;
      last.forEach(Runnable::run);
    }
  }
}
