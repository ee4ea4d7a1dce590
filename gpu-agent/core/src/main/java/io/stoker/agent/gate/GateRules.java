package io.stoker.agent.gate;

import java.math.BigDecimal;

/**
 * Where gates close. Limits are parts of 1; sizes are bytes.
 *
 * @param maxProcess processes at once, 0 = any number
 * @param maxWaiting of them before their training, 0 = any number
 * @param defaultMemory host memory of what does not say how much it needs
 * @param defaultCudaMemory GPU memory likewise
 * @param cpuLimit above 1 it never closes
 * @param allJobs whether every job waits for them, and not only staged ones and those that ask
 * @param remainMemory host memory that must stay free
 * @param remainCudaMemory memory that must stay free on a GPU
 */
public record GateRules(
    int maxProcess,
    int maxWaiting,
    long defaultMemory,
    long defaultCudaMemory,
    BigDecimal cpuLimit,
    BigDecimal memoryLimit,
    BigDecimal cudaMemoryLimit,
    long remainMemory,
    long remainCudaMemory,
    boolean allJobs) {
  private static final long GB = 1_000_000_000;
  private static final BigDecimal MOST = new BigDecimal("0.8");

  /** What holds if nothing else is said. */
  public static final GateRules DEFAULT =
      new GateRules(20, 10, 2 * GB, 2 * GB, MOST, MOST, MOST, 4 * GB, 2 * GB, false);

  public GateRules {
    require(maxProcess >= 0, "scheduler.max-process", maxProcess, "0 or more");
    require(maxWaiting >= 0, "scheduler.max-waiting", maxWaiting, "0 or more");
    require(cpuLimit.signum() >= 0, "utilization-limit.cpu", cpuLimit, "0 or more");
    require(part(memoryLimit), "utilization-limit.memory", memoryLimit, "0 to 1");
    require(part(cudaMemoryLimit), "utilization-limit.cuda-memory", cudaMemoryLimit, "0 to 1");
  }

  private static boolean part(BigDecimal limit) {
    return limit.signum() >= 0 && limit.compareTo(BigDecimal.ONE) <= 0;
  }

  private static void require(boolean holds, String key, Object value, String expected) {
    if (!holds) {
      throw new IllegalArgumentException(
          "stoker.agent.%s is %s; expected %s".formatted(key, value, expected));
    }
  }
}
