package io.stoker.dispatcher.host;

import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.HeldAttempt;
import io.stoker.dispatcher.model.AttemptRow;
import java.util.List;

/**
 * Finds attempts that a heartbeat proves to be over: those that it does not list although they are
 * due. A heartbeat's {@link Heartbeat#clock} is never ahead of our clock, and agents accept nothing
 * that may have expired by it. So a heartbeat whose clock is past an attempt's {@code notAfter} was
 * sent after any moment at which the attempt could be accepted: if it is not listed, the agent does
 * not hold it and never will.
 *
 * <p>That {@code notAfter} has passed here is not enough: the agent may have accepted in time while
 * its event is still stuck.
 */
public final class Overdue {
  private Overdue() {}

  /** Whether an attempt that was not heard to be accepted never was and never will be. */
  public static boolean neverAccepted(AttemptRow attempt, Heartbeat heartbeat, long epoch) {
    return !attempt.accepted() && notHeld(attempt, heartbeat, epoch);
  }

  /**
   * Whether the agent does not hold the attempt, accepted or not, and never will.
   *
   * @param epoch of the host; a heartbeat of another one proves nothing
   */
  public static boolean notHeld(AttemptRow attempt, Heartbeat heartbeat, long epoch) {
    return heartbeat.epoch() == epoch
        && heartbeat.clock() > attempt.notAfter()
        && !holds(heartbeat.held(), attempt);
  }

  /**
   * Whether the attempt is among these, and still has something to say. An end that is no newer
   * than what was heard of the attempt already is no end of it: its host has lost its journal, and
   * read that the attempt is to be cancelled, of which it knows nothing more. It can sign no event.
   * Nor can one sign it that never had the placement: the cancel of an attempt that never began is
   * the first thing, and all, that it has to say.
   */
  public static boolean holds(List<HeldAttempt> held, AttemptRow attempt) {
    return held.stream()
        .anyMatch(
            one ->
                one.job().equals(attempt.job())
                    && one.attempt() == attempt.number()
                    && (one.running() || (one.seq() > attempt.seq() && !neverBegan(one))));
  }

  private static boolean neverBegan(HeldAttempt one) {
    return one.seq() == 1 && one.outcome() == AttemptEvent.Outcome.CANCELLED;
  }
}
