package io.stoker.dispatcher.model;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Decides when a replica may take the fleet over from one that is silent. Whoever schedules renews
 * its claim again and again. The others watch whether the claim changes, each by its own monotonic
 * clock; what time it says plays no part, since clocks are set back and forth. Only a replica that
 * has just started goes by the database's clock, once, so that it need not wait for who died before
 * it.
 *
 * <p>Whoever takes over wrongly takes nothing but time: it does so under a new epoch, and each
 * placement transaction checks that.
 *
 * @param seen the claim at the last look; nothing if that failed
 * @param sinceMs since when it is the same, on this replica's own clock
 * @param started whether there was no look yet
 */
public record Takeover(Optional<Claimed> seen, long sinceMs, boolean started) {
  /** Between two looks. */
  static final long LOOK_MS = 1_000;

  /** A replica that has just started. */
  public static final Takeover START = new Takeover(Optional.empty(), 0, true);

  /**
   * Who schedules, as the fleet's row says it.
   *
   * @param renewed another number at each renewal
   */
  public record Claimed(long epoch, long renewed) {}

  /**
   * What a look found.
   *
   * @param fleet whose claim it is: another one's if the database has another fleet
   * @param mine whether the claim is the replica's
   */
  public record Look(String fleet, boolean mine, Claimed claim) {
    /** The fleet's epoch if it is the replica's. */
    public OptionalLong epoch() {
      return mine ? OptionalLong.of(claim.epoch()) : OptionalLong.empty();
    }
  }

  /** What a look found. */
  public Takeover saw(Claimed claim, long nowMs) {
    return seen.filter(claim::equals).isPresent()
        ? this
        : new Takeover(Optional.of(claim), nowMs, false);
  }

  /** A look failed: that nothing was heard meanwhile says nothing about who schedules. */
  public Takeover failed() {
    return started ? this : new Takeover(Optional.empty(), 0, false);
  }

  /**
   * The claim that has lapsed, if one has: it is to be taken if it still is the same. As a claim
   * may have been renewed a whole look before it was first seen, half of one is taken off its term.
   *
   * @param termMs how long a claim lasts that is not renewed
   */
  public Optional<Claimed> lapsed(long nowMs, long termMs) {
    long silence = Math.max(termMs / 2, termMs - LOOK_MS / 2);
    return seen.filter(claim -> nowMs - sinceMs >= silence);
  }
}
