package io.stoker.dispatcher.memory;

import io.stoker.common.size.ByteSize;

/**
 * How much GPU memory a job is expected to take, and what that is founded on.
 *
 * @param bytes on each of its GPUs, the margin included
 * @param from whose peaks these are
 * @param seen how many have been measured
 * @param quantile bytes that most of them did not exceed
 * @param highest bytes of the highest among those remembered
 * @param sentence for people
 */
public record Estimate(
    long bytes, From from, long seen, long quantile, long highest, String sentence) {
  /** Whose peaks. */
  public enum From {
    /** Of equal jobs: of the same fingerprint. */
    EQUAL_JOBS,
    /** Of jobs of the same kind and shape of command. */
    LIKE_JOBS
  }

  static Estimate of(From from, Peaks peaks, long quantile, long bytes, double share) {
    long highest = peaks.newest().stream().mapToLong(peak -> peak).max().orElseThrow();
    String sentence =
        "%s on each GPU: of %d %s measured, %.0f %% took %s at most, and a margin"
            .formatted(
                ByteSize.text(bytes),
                peaks.seen(),
                from == From.EQUAL_JOBS ? "equal job(s)" : "job(s) like it",
                share * 100,
                ByteSize.text(quantile));
    return new Estimate(bytes, from, peaks.seen(), quantile, highest, sentence);
  }
}
