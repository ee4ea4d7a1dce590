package io.stoker.dispatcher.lease;

import io.stoker.common.message.HostMessage.Heartbeat;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What this dispatcher has heard of hosts since it started: soft state, lost without harm. Guards
 * the {@link LeaseBook}, which is read by passes while the heartbeat reader writes it.
 */
@ApplicationScoped
public class HostDirectory {
  private static final long NANOS_PER_MS = 1_000_000;

  private final LeaseBook leases;
  private final LongSupplier clock;
  private final long startedAt;
  private final Map<String, Long> epochs = new HashMap<>();

  @Inject
  HostDirectory(LeaseBook leases) {
    this(leases, () -> System.nanoTime() / NANOS_PER_MS);
  }

  /**
   * As the bean, on another clock.
   *
   * @param clock monotonic, in ms
   */
  public HostDirectory(LeaseBook leases, LongSupplier clock) {
    this.leases = leases;
    this.clock = clock;
    startedAt = now();
  }

  /** A signed heartbeat; one of an older epoch comes from an agent that has lost its rights. */
  public synchronized boolean heard(Heartbeat heartbeat) {
    long known = epochs.getOrDefault(heartbeat.host(), 0L);
    if (heartbeat.epoch() < known) {
      return false;
    }
    boolean first = !leases.alive(heartbeat.host(), now());
    epochs.put(heartbeat.host(), heartbeat.epoch());
    leases.heard(heartbeat.host(), now(), Optional.of(heartbeat));
    return first;
  }

  /** The host was granted an epoch; its lease begins. */
  public synchronized void registered(String host, long epoch) {
    epochs.merge(host, epoch, Math::max);
    leases.heard(host, now(), Optional.empty());
  }

  /** A hello, to whichever replica: the host may be granted an epoch because of it. */
  public synchronized void helloHeard(String host) {
    leases.heard(host, now(), Optional.empty());
  }

  /** The host has no rights of this epoch any more. */
  public synchronized void dropped(String host, long epoch) {
    if (epochs.getOrDefault(host, 0L) <= epoch) {
      leases.forget(host);
    }
  }

  public synchronized boolean alive(String host) {
    return leases.alive(host, now());
  }

  /** Hosts that were heard of within their leases. */
  public synchronized int countAlive() {
    return (int) epochs.keySet().stream().filter(host -> leases.alive(host, now())).count();
  }

  /** The newest epoch of the host that was heard of. */
  public synchronized Optional<Long> epoch(String host) {
    return Optional.ofNullable(epochs.get(host));
  }

  public synchronized Optional<Heartbeat> lastHeartbeat(String host) {
    return leases.lastOf(host).flatMap(LeaseBook.Heard::heartbeat);
  }

  /** How long ago something was last heard of the host, ms; nothing if never. */
  public synchronized Optional<Long> silentMs(String host) {
    return leases.lastOf(host).map(heard -> now() - heard.at());
  }

  /** The heartbeat log was read up to its end, or its end could not be reached. */
  public synchronized void atEnd(boolean reached) {
    if (reached) {
      leases.atEnd(now());
    } else {
      leases.notAtEnd();
    }
  }

  /** Whether what was heard is all that was said, as of a moment ago. */
  public synchronized boolean holdsEnd() {
    return leases.holdsEnd(now());
  }

  /** For how long the log's end has not been held, ms; counts from the start. */
  public synchronized long endUnheldMs() {
    return now() - leases.atEndConfirmed().orElse(startedAt);
  }

  public synchronized List<String> expired(List<String> hosts) {
    return leases.expired(hosts, now());
  }

  /**
   * Those of the hosts whose rights have ended.
   *
   * @param outages how long the jobs of some of them run on unheard, ms
   */
  public synchronized List<String> expired(Collection<String> hosts, Map<String, Long> outages) {
    return leases.expired(hosts, outages, now());
  }

  private long now() {
    return clock.getAsLong();
  }
}
