package io.stoker.dispatcher.lease;

import io.stoker.common.message.HostMessage.Heartbeat;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which hosts are heard of. Soft state of one dispatcher, on its own monotonic clock: after a
 * restart every lease counts from there, so a failover costs time and never a job.
 *
 * <p>A host is lost only if nothing came from it for lease + margin <em>while the end of the
 * heartbeat log was held all that time</em>: a dispatcher that lags, or a broker that is away,
 * proves nothing about hosts. Nor does one that was stopped for a while itself: holding the end
 * must be confirmed again and again.
 *
 * <p>A host whose jobs run on while it cannot be reached keeps its rights for as long as it has
 * said.
 */
public final class LeaseBook {
  /** The end is confirmed about once a second; without that for so long, it was not held. */
  static final long CONFIRMED_WITHIN_MS = 4_000;

  private final long expiryMs;
  private final long marginMs;
  private final Map<String, Heard> heard = new HashMap<>();
  private Long atEndSince;
  private Long atEndConfirmed;

  /** The last that was heard of a host. */
  public record Heard(long at, Optional<Heartbeat> heartbeat) {}

  /**
   * @param leaseMs what agents are told
   * @param marginMs time to kill, and for clocks to differ
   */
  public LeaseBook(long leaseMs, long marginMs) {
    this.marginMs = marginMs;
    expiryMs = leaseMs + marginMs;
  }

  /** Something signed came from a host. */
  public void heard(String host, long now, Optional<Heartbeat> heartbeat) {
    Heard before = heard.get(host);
    heard.put(
        host,
        new Heard(now, heartbeat.or(() -> before == null ? Optional.empty() : before.heartbeat())));
  }

  /** Everything in the log up to its end has been read, as of now. */
  public void atEnd(long now) {
    if (!holdsEnd(now)) {
      atEndSince = now;
    }
    atEndConfirmed = now;
  }

  /** The end of the log could not be reached. */
  public void notAtEnd() {
    atEndSince = null;
  }

  public Optional<Heard> lastOf(String host) {
    return Optional.ofNullable(heard.get(host));
  }

  public void forget(String host) {
    heard.remove(host);
  }

  /** Whether a host was heard of within its lease. */
  public boolean alive(String host, long now) {
    Heard last = heard.get(host);
    return last != null && now - last.at() < expiryMs;
  }

  /** Those of the hosts whose leases have run out. */
  public List<String> expired(List<String> hosts, long now) {
    return expired(hosts, Map.of(), now);
  }

  /**
   * Those of the hosts whose rights have ended.
   *
   * @param outages how long the jobs of some of them run on unheard, ms
   */
  public List<String> expired(Collection<String> hosts, Map<String, Long> outages, long now) {
    List<String> expired = new ArrayList<>();
    if (!holdsEnd(now)) {
      return expired;
    }
    for (String host : hosts) {
      long silence = Math.max(expiryMs, outages.getOrDefault(host, 0L) + marginMs);
      Heard last = heard.get(host);
      if (now - atEndSince > silence && (last == null || now - last.at() > silence)) {
        expired.add(host);
      }
    }
    return expired;
  }

  /** When the end was held last, if ever. */
  Optional<Long> atEndConfirmed() {
    return Optional.ofNullable(atEndConfirmed);
  }

  /** Whether what was read is all there is, as of a moment ago. */
  boolean holdsEnd(long now) {
    return atEndSince != null && now - atEndConfirmed <= CONFIRMED_WITHIN_MS;
  }
}
