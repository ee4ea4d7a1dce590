package io.stoker.agent.staged;

/**
 * How long a staged attempt was in its stages so far, in ms. What it waits for memory or for a
 * device is neither.
 *
 * @param since when the stage that it is in began, ms since the machine's start
 * @param loadMs in all of its loads before
 * @param trainMs in all of its trainings before
 */
public record StageTimes(long since, long loadMs, long trainMs) {
  static final StageTimes NONE = new StageTimes(0, 0, 0);

  /**
   * With what the stage that it was in took until now, when the next one begins.
   *
   * @param now ms since the machine's start
   */
  public StageTimes until(Stage stage, long now) {
    long took = Math.max(0, now - since); // after a reboot the clock has begun anew
    return new StageTimes(
        now,
        loadMs + (stage == Stage.LOADING ? took : 0),
        trainMs + (stage == Stage.TRAINING ? took : 0));
  }
}
