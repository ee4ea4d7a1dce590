package io.stoker.agent.gate;

import java.math.BigDecimal;
import java.util.Optional;

/**
 * Holds figures against the rules. Nothing returned means open.
 *
 * <p>Limits keep room for others. Who needs more than they ever leave, by what was measured of its
 * like, say, would wait for ever beside empty memory: it passes where it fits and is alone.
 */
public record Gates(GateRules rules) {
  private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);

  /** Busy strictly below the limit. */
  public Optional<Refusal> cpu(HostLoad load) {
    BigDecimal limit = rules.cpuLimit().multiply(HUNDRED);
    return BigDecimal.valueOf(load.cpuPercent()).compareTo(limit) < 0
        ? Optional.empty()
        : refused(
            Gate.CPU,
            "the host's CPU is %.1f %% busy; expected below %s %%"
                .formatted(load.cpuPercent(), limit.stripTrailingZeros().toPlainString()));
  }

  /**
   * Host memory.
   *
   * @param granted bytes that others were granted and do not use yet
   * @param alone whether nobody else has been granted some
   */
  public Optional<Refusal> memory(HostLoad load, long granted, long required, boolean alone) {
    return room(
        Gate.MEMORY,
        "host memory",
        load.memoryTotal(),
        load.memoryFree() - granted,
        required,
        rules.memory(),
        alone);
  }

  /**
   * Memory of a GPU.
   *
   * @param free bytes, less what others were granted and do not use yet
   * @param alone whether nobody else holds the device
   */
  public Optional<Refusal> gpuMemory(
      String device, long total, long free, long required, boolean alone) {
    return room(
        Gate.GPU_MEMORY,
        "memory of device " + device,
        total,
        free,
        required,
        rules.cudaMemory(),
        alone);
  }

  private static Optional<Refusal> room(
      Gate gate,
      String what,
      long total,
      long free,
      long required,
      GateRules.Limit limit,
      boolean alone) {
    long left = free - required;
    BigDecimal least = BigDecimal.valueOf(total).multiply(BigDecimal.ONE.subtract(limit.part()));
    String expected;
    if (left < 0) {
      expected = "0 or more";
    } else if (alone && exceeds(required, total, least, limit)) {
      return Optional.empty();
    } else if (BigDecimal.valueOf(left).compareTo(least) < 0) {
      expected =
          "%s or more, 1 - %s of %d"
              .formatted(least.toPlainString(), limit.part().toPlainString(), total);
    } else if (left < limit.remain()) {
      expected = limit.remain() + " or more";
    } else {
      return Optional.empty();
    }
    return refused(
        gate,
        "%s: %d bytes free less %d required leave %d; expected %s"
            .formatted(what, free, required, left, expected));
  }

  /** Whether so much is more than the limits leave of memory that nobody uses. */
  private static boolean exceeds(
      long required, long total, BigDecimal least, GateRules.Limit limit) {
    BigDecimal kept = least.max(BigDecimal.valueOf(limit.remain()));
    return BigDecimal.valueOf(total - required).compareTo(kept) < 0;
  }

  /** One more process; only starts are held back, never what has begun. */
  public Optional<Refusal> start(int waiting, int training) {
    int processes = waiting + training;
    if (rules.maxProcess() > 0 && processes >= rules.maxProcess()) {
      return refused(
          Gate.MAX_PROCESS, "%d processes of at most %d".formatted(processes, rules.maxProcess()));
    }
    if (rules.maxWaiting() > 0 && waiting >= rules.maxWaiting()) {
      return refused(
          Gate.MAX_WAITING,
          "%d processes wait, of at most %d".formatted(waiting, rules.maxWaiting()));
    }
    return Optional.empty();
  }

  private static Optional<Refusal> refused(Gate gate, String sentence) {
    return Optional.of(new Refusal(gate, sentence));
  }
}
