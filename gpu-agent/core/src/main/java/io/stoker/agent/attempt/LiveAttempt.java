package io.stoker.agent.attempt;

import io.stoker.agent.device.Allocation;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.request.RunnerType;
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
 * @param joined whether its gang is complete, if it belongs to one; it starts no sooner
 * @param acceptedAt ms since 1970
 * @param acceptedOn boot of the machine; empty if that is not known
 */
record LiveAttempt(
    Place place,
    Allocation allocation,
    Phase phase,
    AttemptEvent last,
    int seq,
    int reservedSeq,
    Optional<Stages> stages,
    long progressAt,
    boolean joined,
    long acceptedAt,
    Optional<String> acceptedOn) {

  /** Numbers that an acceptance reserves, and each further reservation adds. */
  static final int SEQ_BLOCK = 64;

  static final long NEVER = Long.MIN_VALUE / 2;

  static LiveAttempt accepted(
      Place place, Allocation allocation, AttemptEvent event, Optional<String> boot) {
    return new LiveAttempt(
        place,
        allocation,
        new Phase.Waiting(),
        event,
        event.seq(),
        SEQ_BLOCK,
        Boolean.TRUE.equals(place.staged()) ? Optional.of(Stages.NONE) : Optional.empty(),
        NEVER,
        false,
        event.at(),
        boot);
  }

  AttemptKey key() {
    return new AttemptKey(place.job(), place.attempt());
  }

  LiveAttempt in(Phase next) {
    return new LiveAttempt(
        place,
        allocation,
        next,
        last,
        seq,
        reservedSeq,
        stages,
        progressAt,
        joined,
        acceptedAt,
        acceptedOn);
  }

  LiveAttempt says(AttemptEvent event) {
    return new LiveAttempt(
        place,
        allocation,
        phase,
        event,
        event.seq(),
        reservedSeq,
        stages,
        progressAt,
        joined,
        acceptedAt,
        acceptedOn);
  }

  LiveAttempt counted(int number) {
    return new LiveAttempt(
        place,
        allocation,
        phase,
        last,
        number,
        reservedSeq,
        stages,
        progressAt,
        joined,
        acceptedAt,
        acceptedOn);
  }

  LiveAttempt reserved(int upTo) {
    return new LiveAttempt(
        place,
        allocation,
        phase,
        last,
        seq,
        upTo,
        stages,
        progressAt,
        joined,
        acceptedAt,
        acceptedOn);
  }

  /** With what it has now for its stage. */
  LiveAttempt at(Stages next, Allocation given) {
    return new LiveAttempt(
        place,
        given,
        phase,
        last,
        seq,
        reservedSeq,
        Optional.of(next),
        progressAt,
        joined,
        acceptedAt,
        acceptedOn);
  }

  LiveAttempt progressed(long bootMs) {
    return new LiveAttempt(
        place,
        allocation,
        phase,
        last,
        seq,
        reservedSeq,
        stages,
        bootMs,
        joined,
        acceptedAt,
        acceptedOn);
  }

  /** Whether another boot of the machine than this one took it; false where that is not known. */
  boolean onAnotherBootThan(Optional<String> boot) {
    return acceptedOn.isPresent() && boot.isPresent() && !acceptedOn.equals(boot);
  }

  /** Whether nothing of it can be left once the machine was started again. */
  boolean diesWithItsHost() {
    return place.runner() == null
        || RunnerType.of(place.runner()).filter(RunnerType::plain).isPresent();
  }

  /** Whether it is held here until all members of its gang have accepted theirs. */
  boolean awaitsGang() {
    return place.gang() != null && !joined;
  }

  /** Whether it is held behind CPU slots: none of it has begun. */
  boolean heldBehindSlots() {
    return place.lookAhead() != null && allocation.cpuSlots() < place.cpuSlots();
  }

  /** With the CPU slots that it was held behind. */
  LiveAttempt admitted(Allocation given) {
    return new LiveAttempt(
        place,
        given,
        phase,
        last,
        seq,
        reservedSeq,
        stages,
        progressAt,
        joined,
        acceptedAt,
        acceptedOn);
  }

  /** It may run so long, ms. */
  LiveAttempt within(Long ms) {
    return with(place.within(ms), joined);
  }

  /** Its gang is complete, and meets there. */
  LiveAttempt joined(String address) {
    return with(place.in(place.gang().at(address)), true);
  }

  private LiveAttempt with(Place other, boolean complete) {
    return new LiveAttempt(
        other,
        allocation,
        phase,
        last,
        seq,
        reservedSeq,
        stages,
        progressAt,
        complete,
        acceptedAt,
        acceptedOn);
  }
}
