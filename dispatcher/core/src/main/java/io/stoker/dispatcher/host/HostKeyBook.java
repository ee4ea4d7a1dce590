package io.stoker.dispatcher.host;

import io.stoker.dispatcher.model.HostKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Caches hosts' keys: the database's copy as of a moment ago, and the keys under which their agents
 * sign.
 */
public final class HostKeyBook {
  /**
   * Keys before the newest by which output may be signed: each one more is tried on what fits none.
   */
  private static final int KEYS_BEFORE = 4;

  private static final Taken FIRST = new Taken(0, 0);

  private final Set<String> keyed = new HashSet<>();
  private final Map<String, Integer> heard = new HashMap<>();
  private Map<String, Taken> taken = Map.of();
  private Map<String, Output> outputs = Map.of();

  /**
   * The generations of keys that are taken.
   *
   * @param oldest below which all are revoked
   * @param newest that people have asked for
   */
  public record Taken(int oldest, int newest) {}

  /**
   * How a host signs the output of its jobs.
   *
   * @param keys one of which has signed it: more than are taken of other messages, since output is
   *     read long after it was written
   * @param since what was placed there before may bear no signature, ms since 1970
   */
  public record Output(Taken keys, long since) {}

  /**
   * Takes over what the database has.
   *
   * @param keys by host
   * @param now the database's clock, ms since 1970
   */
  public synchronized void read(Map<String, HostKey> keys, long now) {
    Map<String, Taken> read = new HashMap<>();
    Map<String, Output> signed = new HashMap<>();
    keys.forEach(
        (host, key) -> {
          read.put(host, new Taken(key.oldest(now), key.generation()));
          if (key.signsOutput() != null) {
            Taken unrevoked = new Taken(oldestOfOutput(key), key.generation());
            signed.put(host, new Output(unrevoked, key.signsOutput()));
          }
          if (key.used()) {
            keyed.add(host);
          }
        });
    taken = read;
    outputs = signed;
  }

  private static int oldestOfOutput(HostKey key) {
    return Math.max(key.oldestUnrevoked(), key.generation() - KEYS_BEFORE);
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

  /** How the host signs its output; empty if it does not, as far as is known. */
  public synchronized Optional<Output> output(String host) {
    return Optional.ofNullable(outputs.get(host));
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
