package io.stoker.dispatcher.service.access;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.SequencedSet;

/**
 * Counts wrong tokens by the address that they come from. Once there have been too many, no other
 * token is looked at from there for a while, but those that have been right from there before: who
 * shares an address with a guesser goes on. To be used by one thread at a time.
 */
final class Guesses {
  /** Wrong ones from an address in a {@link #WINDOW}. */
  static final int MOST = 10;

  static final Duration WINDOW = Duration.ofMinutes(1);

  /** Addresses that are remembered, those that were heard last. */
  private static final int ADDRESSES = 4096;

  /** Right tokens that are remembered of an address, the newest. */
  private static final int PROVEN = 256;

  private final Map<String, Heard> heard =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Heard> eldest) {
          return size() > ADDRESSES;
        }
      };

  private static final class Heard {
    private final SequencedSet<String> proven = new LinkedHashSet<>();
    private long since;
    private int wrong;
  }

  /**
   * How long a token is not looked at.
   *
   * @param nanos now, by {@link System#nanoTime}
   * @return zero if it is looked at
   */
  Duration blocked(String address, String hash, long nanos) {
    Heard of = heard.get(address);
    if (of == null || of.wrong < MOST || of.proven.contains(hash)) {
      return Duration.ZERO;
    }
    Duration left = WINDOW.minusNanos(nanos - of.since);
    return left.isNegative() ? Duration.ZERO : left;
  }

  void wrong(String address, long nanos) {
    Heard of = heard.computeIfAbsent(address, key -> new Heard());
    if (of.wrong == 0 || nanos - of.since >= WINDOW.toNanos()) {
      of.since = nanos;
      of.wrong = 0;
    }
    of.wrong++;
  }

  void right(String address, String hash) {
    SequencedSet<String> proven = heard.computeIfAbsent(address, key -> new Heard()).proven;
    if (proven.add(hash) && proven.size() > PROVEN) {
      proven.removeFirst();
    }
  }
}
