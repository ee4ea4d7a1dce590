package io.stoker.dispatcher.memory;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Works out from measured peaks how much memory a job will take.
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

  /** Equal jobs say more than like ones. */
  public static Optional<Estimate> better(Optional<Estimate> ofEqual, Optional<Estimate> ofLike) {
    return ofEqual.or(() -> ofLike);
  }

  /** What follows from these peaks; nothing if there is none. */
  public Optional<Estimate> estimate(Of of, From from, Peaks peaks) {
    if (peaks.newest().isEmpty()) {
      return Optional.empty();
    }
    List<Long> sorted = peaks.newest().stream().sorted().toList();
    // The nearest rank: with few measured it is the highest.
    int rank = (int) Math.ceil(quantile * sorted.size());
    long most = sorted.get(Math.max(0, rank - 1));
    return Optional.of(
        Estimate.of(of, from, peaks, most, Math.round(most * (1 + margin)), quantile));
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
    return learned(ended, each, FailureCategory.GPU_OOM);
  }

  /** The same of the host's memory. */
  public static OptionalLong learnedOfHost(AttemptEvent ended) {
    return ended.usage() == null || ended.usage().peakMemory() == null
        ? OptionalLong.empty()
        : learned(ended, ended.usage().peakMemory(), FailureCategory.HOST_OOM);
  }

  private static OptionalLong learned(AttemptEvent ended, long peak, FailureCategory ranOut) {
    if (peak <= 0) {
      return OptionalLong.empty();
    }
    if (ended.outcome() == Outcome.SUCCEEDED) {
      return OptionalLong.of(peak);
    }
    return ended.outcome() == Outcome.FAILED && ended.category() == ranOut
        ? OptionalLong.of(more(peak, 1))
        : OptionalLong.empty();
  }

  private static long more(long bytes, int times) {
    return (long) Math.min(Long.MAX_VALUE, Math.ceil(bytes * Math.pow(WANTED_MORE, times)));
  }

  /**
   * How much host memory a job is promised: what was measured, else what it says; and after it ran
   * out of that, half more for each time than it said, or than those took that are like it. What
   * was measured of itself has that in it.
   *
   * @param declared null if the request says nothing
   * @param expected null if nothing was measured
   * @param ranOut attempts of it that ran out of host memory
   */
  public static OptionalLong hostMemory(Long declared, Estimate expected, int ranOut) {
    if (declared == null && expected == null) {
      return OptionalLong.empty();
    }
    long known = expected == null ? declared : expected.bytes();
    if (ranOut == 0 || (declared == null && expected.from() == From.EQUAL_JOBS)) {
      return OptionalLong.of(known);
    }
    long before = declared == null ? expected.bytes() : declared;
    return OptionalLong.of(Math.max(known, more(before, ranOut)));
  }

  /**
   * The same for a container, which cannot take more than it is promised: never less than it says,
   * since a peak may be of a short look, or of another job.
   */
  public static OptionalLong containerMemory(Long declared, Estimate expected, int ranOut) {
    return hostMemory(declared, expected, ranOut).stream()
        .map(promised -> declared == null ? promised : Math.max(declared, promised))
        .findAny();
  }
}
