package io.stoker.agent.metrics;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Usage;
import java.util.Map;
import java.util.TreeMap;

/**
 * Totals of what ended attempts took since the agent started. Touched by the agent's thread alone;
 * {@link #now} gives the others a copy.
 */
public final class EndedTotals {
  private static final double PER_THOUSAND = 1_000;

  private final Map<How, Long> ended = new TreeMap<>();
  private double wallSeconds;
  private double cpuSeconds;
  private double gpuSeconds;
  private double joules;
  private long peakMemory;
  private long peakGpuMemory;

  /**
   * How attempts ended.
   *
   * @param category of their failure; empty if they did not fail
   */
  public record How(Outcome outcome, String category) implements Comparable<How> {
    @Override
    public int compareTo(How other) {
      int first = outcome.compareTo(other.outcome);
      return first != 0 ? first : category.compareTo(other.category);
    }
  }

  /**
   * The sums at one moment.
   *
   * @param peakMemory bytes of host memory that one attempt took at most
   * @param peakGpuMemory bytes of GPU memory likewise
   */
  public record Sums(
      Map<How, Long> ended,
      double wallSeconds,
      double cpuSeconds,
      double gpuSeconds,
      double joules,
      long peakMemory,
      long peakGpuMemory) {}

  /** Counts a terminal report. */
  public void add(AttemptEvent report) {
    String category = report.category() == null ? "" : report.category().name();
    ended.merge(new How(report.outcome(), category), 1L, Long::sum);
    Usage usage = report.usage();
    if (usage != null) {
      wallSeconds += known(usage.wallMs()) / PER_THOUSAND;
      cpuSeconds += known(usage.cpuMs()) / PER_THOUSAND;
      gpuSeconds += known(usage.gpuMs()) / PER_THOUSAND;
      joules += known(usage.energyMj()) / PER_THOUSAND;
      peakMemory = Math.max(peakMemory, known(usage.peakMemory()));
      peakGpuMemory = Math.max(peakGpuMemory, known(usage.peakGpuMemory()));
    }
  }

  private static long known(Long value) {
    return value == null ? 0 : value;
  }

  public Sums now() {
    return new Sums(
        new TreeMap<>(ended),
        wallSeconds,
        cpuSeconds,
        gpuSeconds,
        joules,
        peakMemory,
        peakGpuMemory);
  }
}
