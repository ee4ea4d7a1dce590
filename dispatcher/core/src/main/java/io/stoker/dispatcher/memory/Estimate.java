package io.stoker.dispatcher.memory;

import io.stoker.common.size.ByteSize;
import io.stoker.dispatcher.model.MemoryKeys.Of;

/**
 * The memory that a job is expected to take, and the measurements that this is founded on.
 *
 * @param of which memory
 * @param bytes on each of its GPUs, or of the host, the margin included
 * @param from whose peaks these are
 * @param seen how many have been measured
 * @param quantile bytes that most of them did not exceed
 * @param highest bytes of the highest among those remembered
 * @param sentence for people
 */
public record Estimate(
    Of of, long bytes, From from, long seen, long quantile, long highest, String sentence) {
  /** Whose peaks. */
  public enum From {
    /** Of equal jobs: of the same fingerprint. */
    EQUAL_JOBS,
    /** Of jobs of the same kind and shape of command. */
    LIKE_JOBS
  }

  static Estimate of(Of of, From from, Peaks peaks, long quantile, long bytes, double share) {
    long highest = peaks.newest().stream().mapToLong(peak -> peak).max().orElseThrow();
    String sentence =
        "%s %s: of %d %s measured, %.0f %% took %s at most, and a margin"
            .formatted(
                ByteSize.text(bytes),
                of == Of.GPU ? "on each GPU" : "of host memory",
                peaks.seen(),
                from == From.EQUAL_JOBS ? "equal job(s)" : "job(s) like it",
                share * 100,
                ByteSize.text(quantile));
    return new Estimate(of, bytes, from, peaks.seen(), quantile, highest, sentence);
  }
}
