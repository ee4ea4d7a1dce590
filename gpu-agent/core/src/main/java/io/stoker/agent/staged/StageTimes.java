package io.stoker.agent.staged;

/**
 * The time that a staged attempt was in each of its stages so far, ms. Waiting for memory or for a
 * device counts as none.
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
