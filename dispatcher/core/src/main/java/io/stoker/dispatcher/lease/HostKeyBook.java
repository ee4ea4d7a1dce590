package io.stoker.dispatcher.lease;

import io.stoker.dispatcher.ledger.HostKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What this dispatcher knows of hosts' keys: what the database has of them, as of a moment ago, and
 * under which of them their agents sign.
 */
public final class HostKeyBook {
  private static final Taken FIRST = new Taken(0, 0);

  private final Set<String> keyed = new HashSet<>();
  private final Map<String, Integer> heard = new HashMap<>();
  private Map<String, Taken> taken = Map.of();

  /**
   * The generations of keys that are taken.
   *
   * @param oldest below which all are revoked
   * @param newest that people have asked for
   */
  public record Taken(int oldest, int newest) {}

  /**
   * Takes over what the database has.
   *
   * @param keys by host
   * @param now the database's clock, ms since 1970
   */
  public synchronized void read(Map<String, HostKey> keys, long now) {
    Map<String, Taken> read = new HashMap<>();
    keys.forEach(
        (host, key) -> {
          read.put(host, new Taken(key.oldest(now), key.generation()));
          if (key.used()) {
            keyed.add(host);
          }
        });
    taken = read;
  }

  /** A message of the host was signed with its key of this generation, and believed. */
  public synchronized void heard(String host, int generation) {
    keyed.add(host);
    heard.merge(host, generation, Math::max);
  }

  /** Whether the host has used its key, as far as this dispatcher knows. */
  public synchronized boolean isKeyed(String host) {
    return keyed.contains(host);
  }

  /** The generations of the host's keys that are taken. */
  public synchronized Taken taken(String host) {
    return taken.getOrDefault(host, FIRST);
  }

  /**
   * The generation of the key by which the host is told things: the newest one that its agent has
   * used, since it could not read what is signed with a later one; never one that is revoked. It
   * never falls, so that who has the key before cannot bring it back.
   */
  public synchronized int telling(String host) {
    Taken now = taken(host);
    int used = heard.getOrDefault(host, now.newest());
    return used < now.oldest() ? now.newest() : used;
  }
}
