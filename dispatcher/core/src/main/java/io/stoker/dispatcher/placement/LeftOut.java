package io.stoker.dispatcher.placement;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Jobs in line of which no placement can be made or told: passes leave them out for a while, or
 * they would be given the same room again and again, and nobody behind them ever got it. They keep
 * their place in line and are tried again, after a second, then after twice as long, up to {@link
 * #LONGEST_PAUSE_MS}.
 *
 * <p>Soft state of one replica: whoever starts, or takes over, tries everything again. It holds
 * {@link #MOST} jobs; what comes when it is full is tried by each pass.
 */
public final class LeftOut {
  static final long FIRST_PAUSE_MS = 1_000;

  /** Not longer, since what is tried in vain ends its request only when that was seen often. */
  static final long LONGEST_PAUSE_MS = 15_000;

  /** What was not tried for so long has gone, or is well. */
  private static final long FORGOTTEN_MS = 600_000;

  static final int MOST = 10_000;

  private final LongSupplier clock;
  private final Map<String, Pause> jobs = new LinkedHashMap<>();

  private record Pause(int tries, long until) {}

  /**
   * @param clock ms on a clock that never goes back
   */
  public LeftOut(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * No placement could be made or told of the job. Heard again before its pause is over, that says
   * nothing new. Returns whether passes leave it out from now on.
   */
  public synchronized boolean failed(String job) {
    long now = clock.getAsLong();
    jobs.values().removeIf(pause -> now - pause.until() > FORGOTTEN_MS);
    Pause known = jobs.get(job);
    if (known == null ? jobs.size() >= MOST : known.until() > now) {
      return false;
    }
    int tries = known == null ? 0 : known.tries() + 1;
    long pause = Math.min(FIRST_PAUSE_MS << Math.min(tries, 10), LONGEST_PAUSE_MS);
    jobs.put(job, new Pause(tries, now + pause));
    return true;
  }

  /** Those that are not to be tried yet. */
  public synchronized Set<String> jobs() {
    if (jobs.isEmpty()) {
      return Set.of();
    }
    long now = clock.getAsLong();
    return jobs.entrySet().stream()
        .filter(one -> one.getValue().until() > now)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
