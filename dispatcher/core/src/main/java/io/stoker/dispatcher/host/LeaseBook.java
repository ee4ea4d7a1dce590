package io.stoker.dispatcher.host;

import io.stoker.common.message.HostMessage.Heartbeat;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Records when each host was heard of last. Soft state of one dispatcher, on its own monotonic
 * clock: after a restart every lease counts from there, so a failover costs time and never a job.
 *
 * <p>A host is lost only if nothing came from it for lease + margin <em>while the end of the
 * heartbeat log was held all that time</em>: a dispatcher that lags, or a broker that is away,
 * proves nothing about hosts. Nor does one that was stopped for a while itself: holding the end
 * must be confirmed again and again.
 *
 * <p>A heartbeat of an epoch that has a successor proves no life of the host, but that somebody may
 * run what he was given in it. A heartbeat counts once, however often it is in the log.
 *
 * <p>Messages that are refused for their key are no silence: somebody may run what the host was
 * given, and renew its lease with the broker. Nothing of the host expires from the first of them on
 * until one is believed again, and then not before a lease has passed since the last of them.
 *
 * <p>A host whose jobs run on while it cannot be reached keeps its rights for as long as it has
 * said.
 */
public final class LeaseBook {
  /** The end is confirmed about once a second; without that for so long, it was not held. */
  static final long CONFIRMED_WITHIN_MS = 4_000;

  /** So many hosts are remembered in any case. */
  static final int FEW = 4_096;

  /** Longer than anything lasts. */
  private static final long FOR_EVER = Long.MAX_VALUE / 4;

  private final long expiryMs;
  private final long marginMs;
  private final Map<String, Host> hosts = new HashMap<>();

  /** With so many hosts those are forgotten of which this dispatcher knows nothing but a word. */
  private int most = FEW;

  /** When something was last heard of any that was forgotten. */
  private long forgottenAt = Long.MIN_VALUE;

  private Long atEndSince;
  private Long atEndConfirmed;

  /** The last that was heard of a host in its newest epoch. */
  public record Heard(long at, Optional<Heartbeat> heartbeat) {}

  /** What is known of a host. */
  private static final class Host {
    /** Of more epochs than this the oldest count as one. */
    private static final int EPOCHS_KEPT = 16;

    /** When something was last heard in each epoch, and the number of that. */
    private final TreeMap<Long, Said> epochs = new TreeMap<>();

    private Optional<Heard> last = Optional.empty();

    /** When a message in its name was last refused for its key. */
    private Optional<Long> refused = Optional.empty();

    /** Whether one was believed since. */
    private boolean believed;

    /** Whether the database has it, as far as this dispatcher has been told. */
    private boolean registered;

    boolean held() {
      return refused.isPresent() && !believed;
    }

    private record Said(long at, long n) {}

    long newest() {
      return epochs.isEmpty() ? 0 : epochs.lastKey();
    }

    boolean isNews(long epoch, long n) {
      Said before = epochs.get(epoch);
      return before == null || n > before.n();
    }

    void said(long epoch, long n, long at) {
      epochs.put(epoch, new Said(at, n));
      if (epochs.size() > EPOCHS_KEPT) {
        var oldest = epochs.pollFirstEntry();
        var next = epochs.pollFirstEntry();
        long later = Math.max(oldest.getValue().at(), next.getValue().at());
        // Under the older one: it is taken to have been heard of for longer than it was.
        epochs.put(oldest.getKey(), new Said(later, next.getValue().n()));
      }
    }

    /** When something was last heard in its name, believed or not. */
    long latest() {
      long said = epochs.values().stream().mapToLong(Said::at).max().orElse(Long.MIN_VALUE);
      return Math.max(said, refused.orElse(Long.MIN_VALUE));
    }

    Optional<Long> lastIn(long upTo) {
      return epochs.headMap(upTo, true).values().stream().map(Said::at).max(Long::compare);
    }
  }

  /**
   * @param leaseMs what agents are told
   * @param marginMs time to kill, and for clocks to differ
   */
  public LeaseBook(long leaseMs, long marginMs) {
    this.marginMs = marginMs;
    expiryMs = leaseMs + marginMs;
  }

  /** A signed heartbeat. Returns whether it is the newest of the host's newest epoch. */
  public boolean heard(Heartbeat beat, long now) {
    Host host = host(beat.host(), now);
    if (!host.isNews(beat.epoch(), beat.n())) {
      return false;
    }
    host.said(beat.epoch(), beat.n(), now);
    if (beat.epoch() < host.newest()) {
      return false;
    }
    host.last = Optional.of(new Heard(now, Optional.of(beat)));
    return true;
  }

  /** The host was granted an epoch here; its lease begins. */
  public void granted(String id, long epoch, long now) {
    Host host = registered(id, now);
    if (epoch > host.newest()) {
      host.said(epoch, 0, now);
      host.last = Optional.of(new Heard(now, host.last.flatMap(Heard::heartbeat)));
    }
  }

  /** The host has this epoch, whoever granted it: if that is news, its lease begins. */
  public void noted(String id, long epoch, long now) {
    Host host = registered(id, now);
    if (epoch > host.newest()) {
      host.said(epoch, 0, now);
    }
  }

  /** A message in the host's name was refused for its key; of no host that is known, nothing. */
  public void refused(String id, long now) {
    Optional.ofNullable(hosts.get(id))
        .ifPresent(
            host -> {
              host.refused = Optional.of(now);
              host.believed = false;
            });
  }

  /** A message of the host was believed, whatever it says. */
  public void believed(String id) {
    Optional.ofNullable(hosts.get(id)).ifPresent(host -> host.believed = true);
  }

  /** Messages in the host's name were refused, and none was believed since. */
  public boolean held(String id) {
    return Optional.ofNullable(hosts.get(id)).filter(Host::held).isPresent();
  }

  /**
   * Takes over that the host is held, as another dispatcher has noted, unless this one has believed
   * something since.
   */
  public void heldBefore(String id, long now) {
    Host host = registered(id, now);
    if (!host.believed && host.refused.isEmpty()) {
      host.refused = Optional.of(now);
    }
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
    return Optional.ofNullable(hosts.get(host)).flatMap(known -> known.last);
  }

  /** The newest epoch of the host that was heard of. */
  public Optional<Long> epoch(String host) {
    return Optional.ofNullable(hosts.get(host)).map(Host::newest).filter(epoch -> epoch > 0);
  }

  /** The host has no rights any more; what was heard in its epochs stays known. */
  public void forget(String host) {
    Optional.ofNullable(hosts.get(host)).ifPresent(known -> known.last = Optional.empty());
  }

  /** Whether a host was heard of within its lease. */
  public boolean alive(String host, long now) {
    return lastOf(host).filter(last -> now - last.at() < expiryMs).isPresent();
  }

  long countAlive(long now) {
    return hosts.keySet().stream().filter(host -> alive(host, now)).count();
  }

  /**
   * Those of the hosts whose rights have ended: nothing was heard of them in any epoch.
   *
   * @param epochs of the hosts, as the database has them
   * @param outages how long the jobs of some of them run on unheard, ms
   */
  public List<String> expired(Map<String, Long> epochs, Map<String, Long> outages, long now) {
    List<String> expired = new ArrayList<>();
    epochs.forEach(
        (host, epoch) -> {
          noted(host, epoch, now);
          if (leftMs(host, Long.MAX_VALUE, outages.getOrDefault(host, 0L), now) == 0) {
            expired.add(host);
          }
        });
    return expired;
  }

  /** When the end was held last, if ever. */
  Optional<Long> atEndConfirmed() {
    return Optional.ofNullable(atEndConfirmed);
  }

  /**
   * How much longer nothing may be heard of a host in these epochs until it has no rights by them,
   * ms; 0 if it has none.
   *
   * @param upTo the last of the epochs
   * @param outageMs how long its jobs run on unheard, ms
   */
  public long leftMs(String host, long upTo, long outageMs, long now) {
    long needed = Math.max(expiryMs, Math.min(outageMs, FOR_EVER) + marginMs) + 1;
    Optional<Host> known = Optional.ofNullable(hosts.get(host));
    if (!holdsEnd(now) || known.filter(Host::held).isPresent()) {
      return needed;
    }
    // It may be one that was forgotten.
    long heard = known.flatMap(one -> one.lastIn(upTo)).orElse(forgottenAt);
    long refused = known.flatMap(one -> one.refused).orElse(atEndSince);
    long last = Math.max(atEndSince, Math.max(heard, refused));
    return Math.max(0, needed - (now - last));
  }

  /** Whether what was read is all there is, as of a moment ago. */
  boolean holdsEnd(long now) {
    return atEndSince != null && now - atEndConfirmed <= CONFIRMED_WITHIN_MS;
  }

  private Host registered(String id, long now) {
    Host host = host(id, now);
    host.registered = true;
    return host;
  }

  private Host host(String id, long now) {
    Host known = hosts.get(id);
    if (known != null) {
      return known;
    }
    if (hosts.size() >= most) {
      forgetSilent(now);
    }
    Host host = new Host();
    hosts.put(id, host);
    return host;
  }

  /** Where hosts have no keys anybody may speak in the names of as many as he likes. */
  private void forgetSilent(long now) {
    Iterator<Host> all = hosts.values().iterator();
    while (all.hasNext()) {
      Host host = all.next();
      if (!host.registered && now - host.latest() >= expiryMs) {
        forgottenAt = Math.max(forgottenAt, host.latest());
        all.remove();
      }
    }
    most = Math.max(FEW, 2 * hosts.size());
  }

  int remembered() {
    return hosts.size();
  }
}
