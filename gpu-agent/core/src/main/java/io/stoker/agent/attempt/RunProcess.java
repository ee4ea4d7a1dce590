package io.stoker.agent.attempt;

/**
 * The first process of a run, told apart from a later one with the same pid.
 *
 * @param pid also its session and process group; 0 if it has none on this host
 * @param startTicks field 22 of {@code /proc/<pid>/stat}; 0 if it had ended before it was read
 * @param bootId of the kernel on which the two mean anything
 * @param startedAt ms since 1970
 * @param startedBootMs CLOCK_BOOTTIME in ms, for the time-out
 */
public record RunProcess(
    long pid, long startTicks, String bootId, long startedAt, long startedBootMs) {
  /** Whether it is a process that this host sees. */
  public boolean here() {
    return pid > 0;
  }
}
