package io.stoker.agent.key;

import io.stoker.common.security.Macs;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The host's key, which may be replaced while the agent runs. It is the newest one that signs; what
 * dispatchers have signed with the one before is taken for a moment more, until they have heard the
 * newest.
 */
public final class AgentKey {
  /** Dispatchers hear a heartbeat each few seconds. */
  public static final long BEFORE_MS = 30_000;

  private final LongSupplier clock;
  private volatile Held held;

  /**
   * @param key signs what the host says
   * @param placements signs what the host is told
   * @param before signed that until now; none if there was no other
   * @param until how long it does
   */
  private record Held(byte[] key, byte[] placements, Optional<byte[]> before, long until) {}

  /**
   * @param key null if the host has none
   */
  private AgentKey(byte[] key, LongSupplier clock) {
    this.clock = clock;
    held = key == null ? null : new Held(key, Macs.placementsKey(key), Optional.empty(), 0);
  }

  /**
   * The key that a host begins with.
   *
   * @param clock monotonic, ms
   */
  public static AgentKey of(byte[] key, LongSupplier clock) {
    return new AgentKey(key, clock);
  }

  /** A key that stays. */
  public static AgentKey of(byte[] key) {
    return new AgentKey(key, () -> 0);
  }

  /** Of a host that has no key. */
  public static AgentKey none() {
    return new AgentKey(null, () -> 0);
  }

  /** What the host signs with, if it has a key. */
  public Optional<byte[]> signing() {
    return Optional.ofNullable(held).map(Held::key);
  }

  /** Signs with another key from now on. Returns whether it is another one. */
  public boolean replace(byte[] key) {
    Held before = held;
    if (before != null && Arrays.equals(before.key(), key)) {
      return false;
    }
    Optional<byte[]> placements = Optional.ofNullable(before).map(Held::placements);
    held = new Held(key, Macs.placementsKey(key), placements, clock.getAsLong() + BEFORE_MS);
    return true;
  }

  /** Whether a record of the placements topic is signed for this host. */
  public boolean isSealed(byte[] record) {
    Held now = held;
    return now != null
        && (Macs.sealed(now.placements(), record)
            || (clock.getAsLong() < now.until()
                && now.before().filter(key -> Macs.sealed(key, record)).isPresent()));
  }
}
