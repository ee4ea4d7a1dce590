package io.stoker.dispatcher.host;

import java.util.HashMap;
import java.util.Map;

/**
 * Limits the rate of each host: a burst, and then one thing at a time. What is too much is left
 * out; whoever said it says it again.
 */
public final class HostRateLimit {
  /** So many hosts are remembered in any case. */
  static final int FEW = 1_024;

  private final int burst;
  private final long everyMs;
  private final Map<String, Long> busyUntil = new HashMap<>();

  /** With so many hosts those are forgotten that have rested: anybody may name new ones. */
  private int most = FEW;

  /**
   * @param burst how many may come at once
   * @param everyMs how often one may come in the long run
   */
  public HostRateLimit(int burst, long everyMs) {
    this.burst = burst;
    this.everyMs = everyMs;
  }

  /**
   * Whether one more of the host is dealt with; if so it counts.
   *
   * @param now monotonic, ms
   */
  public synchronized boolean allows(String host, long now) {
    long until = Math.max(now, busyUntil.getOrDefault(host, now));
    if (until - now > (burst - 1) * everyMs) {
      return false;
    }
    busyUntil.put(host, until + everyMs);
    if (busyUntil.size() > most) {
      busyUntil.values().removeIf(rested -> rested <= now);
      most = Math.max(FEW, 2 * busyUntil.size());
    }
    return true;
  }

  synchronized int remembered() {
    return busyUntil.size();
  }
}
