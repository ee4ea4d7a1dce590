package io.stoker.agent.attempt;

/**
 * The measures against a job whose GPUs do next to nothing.
 *
 * @param below percent of utilisation, 0 to 100: all of its GPUs are below it
 * @param windowMs for so long
 */
public record Idle(Action action, int below, long windowMs) {
  public static final Idle DEFAULT = new Idle(Action.WARN, 5, 1_800_000);

  /** What is done. */
  public enum Action {
    /** Nothing. */
    OFF,
    /** It runs on, and its status says so. */
    WARN,
    /** It is ended. */
    END
  }

  public Idle {
    if (below < 0 || below > 100) {
      throw new IllegalArgumentException(
          "stoker.agent.idle.below is %d, expected 0 to 100 percent".formatted(below));
    }
    if (windowMs < 1_000) {
      throw new IllegalArgumentException(
          "stoker.agent.idle.window is %d ms, expected 1 s at least".formatted(windowMs));
    }
  }
}
