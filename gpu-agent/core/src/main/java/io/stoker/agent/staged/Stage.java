package io.stoker.agent.staged;

/** The stage of a staged attempt. */
public enum Stage {
  /** Held: it has no process yet. */
  WAITING,
  /** It has a process, or will have one at once, and waits for memory to load. */
  AVAILABLE,
  LOADING,
  /** It ran out of memory in its load: its process ends, and another follows. */
  RENEWING,
  /** It has loaded and waits for a device. */
  HOLDING,
  TRAINING,
  /** It has trained; it may still write, and ends by itself. */
  TRAINED;

  /** Whether it has a process that has not got a device. */
  public boolean waits() {
    return this == AVAILABLE || this == LOADING || this == RENEWING || this == HOLDING;
  }

  /** Whether it has a device. */
  public boolean trains() {
    return this == TRAINING || this == TRAINED;
  }

  /** What it is about, for people. */
  public String word() {
    return switch (this) {
      case LOADING, RENEWING, AVAILABLE -> "load";
      default -> "train";
    };
  }
}
