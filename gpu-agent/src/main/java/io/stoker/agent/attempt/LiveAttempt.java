package io.stoker.agent.attempt;

import io.stoker.agent.device.Allocation;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ToAgent.Place;
import java.util.Optional;

/**
 * An attempt that has not ended.
 *
 * @param place as it was accepted
 * @param allocation what it was given
 * @param phase where it stands
 * @param last its newest ACCEPTED or RUNNING event, unsigned: the answer to a duplicate
 * @param seq of its newest event
 * @param reservedSeq up to which numbers are journaled as used
 * @param stages how far it has got, if it is staged
 * @param progressAt CLOCK_BOOTTIME in ms of its last progress event, or long ago
 */
record LiveAttempt(
    Place place,
    Allocation allocation,
    Phase phase,
    AttemptEvent last,
    int seq,
    int reservedSeq,
    Optional<Stages> stages,
    long progressAt) {

  /** Numbers that an acceptance reserves, and each further reservation adds. */
  static final int SEQ_BLOCK = 64;

  static final long NEVER = Long.MIN_VALUE / 2;

  static LiveAttempt accepted(Place place, Allocation allocation, AttemptEvent event) {
    return new LiveAttempt(
        place,
        allocation,
        new Phase.Waiting(),
        event,
        event.seq(),
        SEQ_BLOCK,
        Boolean.TRUE.equals(place.staged()) ? Optional.of(Stages.NONE) : Optional.empty(),
        NEVER);
  }

  AttemptKey key() {
    return new AttemptKey(place.job(), place.attempt());
  }

  LiveAttempt in(Phase next) {
    return new LiveAttempt(place, allocation, next, last, seq, reservedSeq, stages, progressAt);
  }

  LiveAttempt says(AttemptEvent event) {
    return new LiveAttempt(
        place, allocation, phase, event, event.seq(), reservedSeq, stages, progressAt);
  }

  LiveAttempt counted(int number) {
    return new LiveAttempt(place, allocation, phase, last, number, reservedSeq, stages, progressAt);
  }

  LiveAttempt reserved(int upTo) {
    return new LiveAttempt(place, allocation, phase, last, seq, upTo, stages, progressAt);
  }

  /** With what it has now for its stage. */
  LiveAttempt at(Stages next, Allocation given) {
    return new LiveAttempt(
        place, given, phase, last, seq, reservedSeq, Optional.of(next), progressAt);
  }

  LiveAttempt progressed(long bootMs) {
    return new LiveAttempt(place, allocation, phase, last, seq, reservedSeq, stages, bootMs);
  }
}
