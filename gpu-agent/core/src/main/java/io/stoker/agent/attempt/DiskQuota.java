package io.stoker.agent.attempt;

import io.stoker.common.size.ByteSize;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The number of bytes that a job may write.
 *
 * @param logs bytes of its two outputs, if limited
 * @param work bytes in its scratch folder, if limited
 * @param end whether one that writes more is ended, and not only warned of
 */
public record DiskQuota(OptionalLong logs, OptionalLong work, boolean end) {
  public static final DiskQuota NONE =
      new DiskQuota(OptionalLong.empty(), OptionalLong.empty(), false);

  /** Whether anything is limited. */
  public boolean any() {
    return logs.isPresent() || work.isPresent();
  }

  /**
   * What is more than it may be, if so.
   *
   * @param share bytes that its outputs and its folder may have together, if limited
   */
  Optional<String> exceeded(Input.DiskSample sample, OptionalLong share) {
    return over("its output is", sample.logs(), logs)
        .or(() -> over("it has written", sample.work(), work))
        .or(() -> over("it has filled", sample.all(), share));
  }

  private static Optional<String> over(String what, long taken, OptionalLong quota) {
    return quota.isPresent() && taken > quota.getAsLong()
        ? Optional.of(
            "%s %s, of %s that a job may write here"
                .formatted(what, ByteSize.text(taken), ByteSize.text(quota.getAsLong())))
        : Optional.empty();
  }
}
