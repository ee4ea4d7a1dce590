package io.stoker.dispatcher.timer;

import java.util.OptionalLong;

/**
 * Notices that the clock by which all is due was set, since it is not where a clock that only rises
 * says that it should be; and says by how much it is to be corrected, so that it goes on as if it
 * had not been. The correction is then taken back little by little: in the end the clock shows what
 * the wall clock shows, and has never jumped.
 *
 * <p>Each replica watches, but only the scheduler corrects. Of the time before its first look a
 * replica knows what the clock showed when somebody last claimed the fleet: it cannot show less. By
 * how much it was set forward while nobody watched is not known.
 *
 * @param ahead by how much it is ahead of the replica's own, ms; empty before the first look
 * @param seenAt when that was last looked at, ms on the replica's own
 * @param oddSince since when it is somewhere else, and nobody has corrected it
 */
public record ClockWatch(OptionalLong ahead, long seenAt, OptionalLong oddSince) {
  public static final ClockWatch START =
      new ClockWatch(OptionalLong.empty(), 0, OptionalLong.empty());

  /** What it is off by less is borne: waits are as much longer or shorter. */
  public static final long STEP_MS = 5_000;

  /** What it is off by more is no step of a clock that was right before, and is believed. */
  static final long BELIEVED_MS = 86_400_000;

  /** Who does not schedule believes what nobody corrects for so long. */
  static final long BELIEVED_AFTER_MS = 60_000;

  /** A look that takes longer tells too little to go by. */
  private static final long PROMPT_MS = 1_000;

  /** A correction is taken back by one part in so many of the time that passes. */
  private static final long SLOWNESS = 20;

  /**
   * What follows from a look.
   *
   * @param by ms to be added to the correction; 0 for none
   * @param stepped whether that is because the clock was set
   */
  public record Next(ClockWatch watch, long by, boolean stepped) {}

  /**
   * Looks.
   *
   * @param clock what it shows, with its correction, ms since 1970
   * @param correction what of that is correction, ms
   * @param before what it has shown already, ms since 1970; 0 if that is not known
   * @param asked when it was asked, ms on the replica's own clock, which never goes back
   * @param answered when it answered, on the same
   * @param corrects whether this replica is to correct it
   */
  public Next saw(
      long clock, long correction, long before, long asked, long answered, boolean corrects) {
    return ahead.isEmpty() && before - clock >= STEP_MS
        ? new ClockWatch(OptionalLong.of(before - asked), asked, oddSince)
            .saw(clock, correction, asked, answered, corrects)
        : saw(clock, correction, asked, answered, corrects);
  }

  private Next saw(long clock, long correction, long asked, long answered, boolean corrects) {
    long off = off(clock - answered, clock - asked);
    if (Math.abs(off) < STEP_MS || Math.abs(off) > BELIEVED_MS) {
      long by = corrects ? back(correction, Math.max(0, asked - seenAt)) : 0;
      return new Next(believed(clock, asked, answered), by, false);
    }
    if (corrects) {
      return new Next(new ClockWatch(ahead, asked, OptionalLong.empty()), -off, true);
    }
    long odd = oddSince.orElse(asked);
    return asked - odd < BELIEVED_AFTER_MS
        ? new Next(new ClockWatch(ahead, asked, OptionalLong.of(odd)), 0, false)
        : new Next(believed(clock, asked, answered), 0, false);
  }

  /** By how much it is elsewhere at least, the moment of its answer being unknown. */
  private long off(long least, long most) {
    if (ahead.isEmpty()) {
      return 0;
    }
    long expected = ahead.getAsLong();
    return least > expected ? least - expected : Math.min(0, most - expected);
  }

  private ClockWatch believed(long clock, long asked, long answered) {
    return ahead.isPresent() && answered - asked > PROMPT_MS
        ? new ClockWatch(ahead, asked, OptionalLong.empty())
        : new ClockWatch(
            OptionalLong.of(clock - asked - (answered - asked) / 2), asked, OptionalLong.empty());
  }

  private long back(long correction, long elapsed) {
    if (ahead.isEmpty()) {
      return 0;
    }
    long most = elapsed / SLOWNESS;
    return -Math.clamp(correction, -most, most);
  }
}
