package io.stoker.agent.gate;

import java.math.BigDecimal;

/**
 * The limits at which gates close. Sizes are bytes.
 *
 * @param maxProcess processes at once, 0 = any number
 * @param maxWaiting of them before their training, 0 = any number
 * @param defaultMemory host memory of what does not say how much it needs
 * @param defaultCudaMemory GPU memory likewise
 * @param allJobs whether every job waits for them, and not only staged ones and those that ask
 * @param cpuLimit part of 1; above 1 it never closes
 * @param memory of the host
 * @param cudaMemory of a GPU
 */
public record GateRules(
    int maxProcess,
    int maxWaiting,
    long defaultMemory,
    long defaultCudaMemory,
    boolean allJobs,
    BigDecimal cpuLimit,
    Limit memory,
    Limit cudaMemory) {
  private static final long GB = 1_000_000_000;
  private static final BigDecimal MOST = new BigDecimal("0.8");

  /** What holds if nothing else is said. */
  public static final GateRules DEFAULT =
      new GateRules(
          20, 10, 2 * GB, 2 * GB, false, MOST, new Limit(MOST, 4 * GB), new Limit(MOST, 2 * GB));

  /**
   * How much of a memory may be taken.
   *
   * @param part at most, 0 to 1
   * @param remain bytes that must stay free
   */
  public record Limit(BigDecimal part, long remain) {
    private boolean valid() {
      return part.signum() >= 0 && part.compareTo(BigDecimal.ONE) <= 0;
    }
  }

  public GateRules {
    require(maxProcess >= 0, "scheduler.max-process", maxProcess, "0 or more");
    require(maxWaiting >= 0, "scheduler.max-waiting", maxWaiting, "0 or more");
    require(cpuLimit.signum() >= 0, "utilization-limit.cpu", cpuLimit, "0 or more");
    require(memory.valid(), "utilization-limit.memory", memory.part, "0 to 1");
    require(cudaMemory.valid(), "utilization-limit.cuda-memory", cudaMemory.part, "0 to 1");
  }

  private static void require(boolean holds, String key, Object value, String expected) {
    if (!holds) {
      throw new IllegalArgumentException(
          "stoker.agent.%s is %s; expected %s".formatted(key, value, expected));
    }
  }
}
