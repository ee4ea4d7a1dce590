package io.stoker.agent.attempt;

/**
 * The measures against a job that takes more memory than it was promised, where others rely on it
 * that it does not.
 *
 * @param tolerance how much more it may take, in proportion
 */
public record Outgrow(Action action, double tolerance) {
  public static final Outgrow DEFAULT = new Outgrow(Action.WARN, 0.1);

  /** What is done. */
  public enum Action {
    /** Nothing. */
    OFF,
    /** It runs on, and its status says so. */
    WARN,
    /** It is ended as out of memory, before its neighbours are; its retry gets more. */
    END
  }

  public Outgrow {
    if (!(tolerance >= 0 && tolerance <= 10)) {
      throw new IllegalArgumentException(
          "stoker.agent.memory.tolerance is %s, expected 0 to 10".formatted(tolerance));
    }
  }

  /** Whether so much is more than was promised, and more than is tolerated. */
  boolean exceeds(long taken, long promised) {
    return action != Action.OFF && taken > promised * (1 + tolerance);
  }
}
