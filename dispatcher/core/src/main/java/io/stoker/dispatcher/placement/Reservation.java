package io.stoker.dispatcher.placement;

import java.util.List;
import java.util.Map;

/**
 * A job for which room is kept, since what is smaller would go before it for ever, or since others
 * are being ended for it.
 *
 * @param hosts those that are kept free for it, as many as it takes at once; none while others are
 *     served first
 * @param since when it got the claim, ms since 1970
 * @param made what is its own on each of the hosts, where others were told to end for it; null if
 *     they end by themselves
 * @param toCome how many devices, by host, those have who are not over yet
 */
public record Reservation(
    String job,
    String queue,
    List<String> hosts,
    long since,
    Need made,
    Map<String, Integer> toCome) {
  /** For a job that waits until others have ended by themselves. */
  public Reservation(String job, String queue, List<String> hosts, long since) {
    this(job, queue, hosts, since, null, Map.of());
  }

  Reservation on(List<String> others) {
    return new Reservation(job, queue, others, since, made, toCome);
  }

  /** Whether others are, or were, ended for it. */
  public boolean isMade() {
    return made != null;
  }

  /** What of that is free by now on one of the hosts: the rest need not be kept from anybody. */
  Need madeSoFar(String host) {
    int less = toCome.getOrDefault(host, 0);
    return new Need(Math.max(0, made.gpus() - less), Math.max(0, made.cpuSlots() - less))
        .with(made.memory());
  }
}
