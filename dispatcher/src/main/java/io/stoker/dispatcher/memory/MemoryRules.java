package io.stoker.dispatcher.memory;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.memory.Estimate.From;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Works out from measured peaks how much GPU memory a job will take.
 *
 * @param quantile the part of what was measured that is to fit, 0 to 1
 * @param margin what is added, in proportion
 */
public record MemoryRules(double quantile, double margin) {
  /** Peaks of one job or profile that are remembered. */
  public static final int REMEMBERED = 64;

  /** What ran out of memory would have taken more: nobody knows how much. */
  private static final double WANTED_MORE = 1.5;

  public MemoryRules {
    if (!(quantile > 0 && quantile <= 1)) {
      throw new IllegalArgumentException(
          "stoker.memory.quantile is %s, expected more than 0 and at most 1".formatted(quantile));
    }
    if (!(margin >= 0 && margin <= 10)) {
      throw new IllegalArgumentException(
          "stoker.memory.margin is %s, expected 0 to 10".formatted(margin));
    }
  }

  /** What is expected; nothing if nothing was measured. Equal jobs say more than like ones. */
  public Optional<Estimate> estimate(Peaks equal, Peaks like) {
    if (!equal.newest().isEmpty()) {
      return Optional.of(estimate(From.EQUAL_JOBS, equal));
    }
    return like.newest().isEmpty() ? Optional.empty() : Optional.of(estimate(From.LIKE_JOBS, like));
  }

  private Estimate estimate(From from, Peaks peaks) {
    List<Long> sorted = peaks.newest().stream().sorted().toList();
    // The nearest rank: with few measured it is the highest.
    int rank = (int) Math.ceil(quantile * sorted.size());
    long most = sorted.get(Math.max(0, rank - 1));
    return Estimate.of(from, peaks, most, Math.round(most * (1 + margin)), quantile);
  }

  /**
   * What an attempt that ended tells of its job's need on each GPU. Of what failed otherwise than
   * for want of memory nothing is learned: it may have ended before it took much.
   *
   * @param gpus how many it had
   */
  public static OptionalLong learned(AttemptEvent ended, int gpus) {
    if (gpus < 1 || ended.usage() == null || ended.usage().peakGpuMemory() == null) {
      return OptionalLong.empty();
    }
    long each = Math.ceilDiv(ended.usage().peakGpuMemory(), gpus);
    if (each <= 0) {
      return OptionalLong.empty();
    }
    if (ended.outcome() == Outcome.SUCCEEDED) {
      return OptionalLong.of(each);
    }
    return ended.outcome() == Outcome.FAILED && ended.category() == FailureCategory.GPU_OOM
        ? OptionalLong.of((long) Math.ceil(each * WANTED_MORE))
        : OptionalLong.empty();
  }
}
