package io.stoker.agent.pool;

/** A seed for each process of a pool: no two have the same. */
public final class Seeds {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final long POSITIVE = 0x1F_FFFF_FFFF_FFFFL;

  private Seeds() {}

  /**
   * The seed, 0 to 2⁵³ − 1, which every language's JSON and integers hold.
   *
   * @param base of the pool in this start of the agent
   * @param process the process's number
   */
  public static long of(long base, int process) {
    // Steps of an odd number meet each of the 2⁵³ values before any comes twice.
    return (base + GOLDEN * process) & POSITIVE;
  }
}
