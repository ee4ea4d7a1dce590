package io.stoker.dispatcher.runtime;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides what is set aside. A try counts only when an item failed by itself, while a neighbour in
 * the same step succeeded: at some time since {@link #RECENT_MS} before it began to fail. Where all
 * fail alike, the fault is not theirs, and nothing is set aside however long that lasts. With
 * {@link #TRIES} of them it is set aside: it is tried again after a minute, then after twice as
 * long, up to {@link #LONGEST_PAUSE_MS}.
 *
 * <p>The book is one replica's, in memory: whoever starts, or takes over, tries everything again.
 * It holds {@link #MOST} items; what comes when it is full is tried each time.
 */
public final class TroubleBook {
  /** Tries that count, until an item is set aside. */
  public static final int TRIES = 5;

  public static final long FIRST_PAUSE_MS = 60_000;
  public static final long LONGEST_PAUSE_MS = 600_000;
  static final int MOST = 1_000;

  /** A success so long before tells that the step works, ms. */
  static final long RECENT_MS = 60_000;

  private final Map<Key, Trouble> troubles = new LinkedHashMap<>();

  /** When anything of a step last succeeded, ms since 1970. */
  private final Map<String, Long> successes = new HashMap<>();

  private record Key(String step, String item) {}

  /** Items of a step had their effect. */
  public synchronized void succeeded(String step, Collection<String> items, long now) {
    if (items.isEmpty()) {
      return;
    }
    successes.put(step, now);
    if (!troubles.isEmpty()) {
      items.forEach(item -> troubles.remove(new Key(step, item)));
    }
  }

  /**
   * An item failed by itself. Neighbours of the same run that succeeded must have been noted.
   *
   * @return how it stands now
   */
  public synchronized Trouble failed(String step, String item, String reason, long now) {
    prune(now);
    Key key = new Key(step, item);
    Trouble known = troubles.get(key);
    long since = known == null ? now : known.since();
    Long success = successes.get(step);
    boolean counts = success != null && success >= since - RECENT_MS;
    int tries = (known == null ? 0 : known.tries()) + (counts ? 1 : 0);
    boolean aside = tries >= TRIES;
    long next = aside ? now + pause(tries) : now;
    Trouble trouble = new Trouble(step, item, tries, aside, false, since, now, next, reason);
    if (known != null || troubles.size() < MOST) {
      troubles.put(key, trouble);
    }
    return trouble;
  }

  private static long pause(int tries) {
    int doubled = Math.min(Math.max(0, tries - TRIES), 8);
    return Math.min(FIRST_PAUSE_MS << doubled, LONGEST_PAUSE_MS);
  }

  /** A step had its effect on all that there is. */
  public synchronized void allSucceeded(String step) {
    troubles.keySet().removeIf(key -> key.step().equals(step));
  }

  /** Nothing of the item is left to be done. */
  public synchronized void over(String step, String item) {
    troubles.remove(new Key(step, item));
  }

  /** Items of a step that are set aside and not to be tried yet. */
  public synchronized Set<String> waiting(String step, long now) {
    return troubles.isEmpty() ? Set.of() : items(step, now, true);
  }

  /** Items of a step that are set aside and may be tried again: each by itself. */
  public synchronized Set<String> suspected(String step, long now) {
    return troubles.isEmpty() ? Set.of() : items(step, now, false);
  }

  private Set<String> items(String step, long now, boolean waiting) {
    return troubles.values().stream()
        .filter(one -> one.aside() && one.step().equals(step) && one.next() > now == waiting)
        .map(Trouble::item)
        .collect(Collectors.toSet());
  }

  /** All that fails, the longest first. */
  public synchronized List<Trouble> all(long now) {
    prune(now);
    return List.copyOf(troubles.values());
  }

  /** What was not tried for so long has gone by itself. */
  private void prune(long now) {
    troubles.values().removeIf(one -> now - one.last() > 2 * LONGEST_PAUSE_MS);
  }
}
