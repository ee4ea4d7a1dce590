package io.stoker.agent.policy;

import java.util.Map;

/**
 * A device as a policy sees it.
 *
 * @param id as in the device list
 * @param total bytes of memory
 * @param free bytes that can still be promised: what is free, less what was promised and does not
 *     show yet
 * @param holders how many jobs it serves
 * @param usedByProcess bytes that each process of a job uses on it, as far as known. A job's
 *     processes are one here, named by the attempt: pids are the driver's, and may mean nothing
 *     here
 */
public record DeviceView(
    String id, long total, long free, int holders, Map<String, Long> usedByProcess) {
  /** Bytes in a MB, as policies count. */
  public static final long MB = 1L << 20;

  public DeviceView {
    usedByProcess = Map.copyOf(usedByProcess);
  }

  /** Whole MB that can still be promised. */
  public long freeMb() {
    return Math.floorDiv(free, MB);
  }
}
