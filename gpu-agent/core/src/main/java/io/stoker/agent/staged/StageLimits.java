package io.stoker.agent.staged;

/**
 * Attempts in total, of one process after another within one attempt of the job.
 *
 * @param loads 1 or more
 * @param trains 1 or more
 */
public record StageLimits(int loads, int trains) {
  public static final StageLimits DEFAULT = new StageLimits(3, 3);

  public StageLimits {
    if (loads < 1 || trains < 1) {
      throw new IllegalArgumentException(
          "stoker.agent.scheduler.load-nretry is %d and train-nretry is %d; expected 1 or more"
              .formatted(loads, trains));
    }
  }
}
