package io.stoker.dispatcher.attempt;

import io.stoker.dispatcher.model.JobRow;

/**
 * Computes how long a failed job waits before its next attempt: twice as long after each failure,
 * up to a limit, and less by a part that differs from job to job, so that jobs that failed together
 * do not come back together. The same job and attempt always wait the same.
 *
 * @param firstMs after the first failure, at most; 0 lets nothing wait
 * @param factor by which it grows with each failure
 * @param mostMs at most, however many failures there were
 * @param jitter the part of a wait that chance may take away, 0 to 1
 */
public record Backoff(long firstMs, double factor, long mostMs, double jitter) {
  /** Nothing waits. */
  public static final Backoff NONE = new Backoff(0, 1, 0, 0);

  public Backoff {
    if (firstMs < 0 || mostMs < 0) {
      throw new IllegalArgumentException(
          "stoker.retry.backoff.first and most are %d and %d ms, expected 0 or more"
              .formatted(firstMs, mostMs));
    }
    if (!(factor >= 1 && factor <= 100)) {
      throw new IllegalArgumentException(
          "stoker.retry.backoff.factor is %s, expected 1 to 100".formatted(factor));
    }
    if (!(jitter >= 0 && jitter <= 1)) {
      throw new IllegalArgumentException(
          "stoker.retry.backoff.jitter is %s, expected 0 to 1".formatted(jitter));
    }
  }

  /**
   * How long the job waits whose newest attempt has just failed, in ms.
   *
   * @param job with that failure counted
   */
  public long waitMs(JobRow job) {
    int failures = job.setbacks().failures().values().stream().mapToInt(count -> count).sum();
    return waitMs(job.id(), job.latest().number(), failures);
  }

  long waitMs(String job, int attempt, int failures) {
    double longest = Math.min(mostMs, firstMs * Math.pow(factor, Math.max(0, failures - 1)));
    return Math.round(longest * (1 - jitter * chance(job, attempt)));
  }

  /** 0 to 1, evenly spread over jobs and attempts. */
  private static double chance(String job, int attempt) {
    long bits = 0xcbf29ce484222325L;
    for (int at = 0; at < job.length(); at++) {
      bits = (bits ^ job.charAt(at)) * 0x100000001b3L;
    }
    bits = (bits ^ attempt) * 0x9e3779b97f4a7c15L;
    bits = (bits ^ (bits >>> 32)) * 0xd6e8feb86659fd93L;
    bits ^= bits >>> 32;
    return (bits >>> 11) * 0x1.0p-53;
  }
}
