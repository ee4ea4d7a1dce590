package io.stoker.dispatcher.host;

import io.stoker.common.message.HostMessage.Heartbeat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Keeps what this dispatcher has heard of hosts since it started: soft state, lost without harm.
 * Guards the {@link LeaseBook}, which is read by passes while the heartbeat reader writes it.
 */
public final class HostDirectory {
  private final LeaseBook leases;
  private final LongSupplier clock;
  private final long startedAt;

  /**
   * @param clock monotonic, in ms
   */
  public HostDirectory(LeaseBook leases, LongSupplier clock) {
    this.leases = leases;
    this.clock = clock;
    startedAt = now();
  }

  /** What a heartbeat tells. */
  public enum Sound {
    /** The host is there again, or for the first time. */
    FIRST,
    /** It is still there. */
    AGAIN,
    /** It is of an epoch that has a successor: its agent has lost its rights, and must be told. */
    SUPERSEDED,
    /** It was heard before. */
    OLD
  }

  /** A signed heartbeat. */
  public synchronized Sound heard(Heartbeat heartbeat) {
    boolean alive = leases.alive(heartbeat.host(), now());
    if (leases.heard(heartbeat, now())) {
      return alive ? Sound.AGAIN : Sound.FIRST;
    }
    return heartbeat.epoch() < leases.epoch(heartbeat.host()).orElse(0L)
        ? Sound.SUPERSEDED
        : Sound.OLD;
  }

  /** The host was granted an epoch; its lease begins. */
  public synchronized void registered(String host, long epoch) {
    leases.granted(host, epoch, now());
  }

  /** The host has no rights of this epoch any more. */
  public synchronized void dropped(String host, long epoch) {
    if (leases.epoch(host).orElse(0L) <= epoch) {
      leases.forget(host);
    }
  }

  /** A message in the host's name was refused for its key. */
  public synchronized void refused(String host) {
    leases.refused(host, now());
  }

  /** A message of the host was believed, whatever it says. */
  public synchronized void believed(String host) {
    leases.believed(host);
  }

  /** Whether messages in the host's name were refused, and none was believed since. */
  public synchronized boolean held(String host) {
    return leases.held(host);
  }

  /** Takes over that the host is held, as another dispatcher has noted. */
  public synchronized void heldBefore(String host) {
    leases.heldBefore(host, now());
  }

  public synchronized boolean alive(String host) {
    return leases.alive(host, now());
  }

  /** Hosts that were heard of within their leases. */
  public synchronized int countAlive() {
    return (int) leases.countAlive(now());
  }

  /** The newest epoch of the host that was heard of. */
  public synchronized Optional<Long> epoch(String host) {
    return leases.epoch(host);
  }

  /** What the heartbeat log proves of the host, whenever it is asked. */
  public Silence silence(String host) {
    return (epoch, outageMs) -> {
      synchronized (this) {
        return leases.leftMs(host, epoch, outageMs, now());
      }
    };
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

  /**
   * Those of the hosts whose rights have ended.
   *
   * @param epochs of the hosts, as the database has them
   * @param outages how long the jobs of some of them run on unheard, ms
   */
  public synchronized List<String> expired(Map<String, Long> epochs, Map<String, Long> outages) {
    return leases.expired(epochs, outages, now());
  }

  private long now() {
    return clock.getAsLong();
  }
}
