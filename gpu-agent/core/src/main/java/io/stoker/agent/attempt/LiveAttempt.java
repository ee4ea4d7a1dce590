package io.stoker.agent.attempt;

import io.stoker.agent.device.Allocation;
import io.stoker.agent.staged.Stages;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.Optional;

/**
 * An attempt that has not ended.
 *
 * @param place as it was accepted
 * @param allocation what it was given
 * @param phase where it stands
 * @param said what was told of it
 * @param stages how far it has got, if it is staged
 * @param joined whether its gang is complete, if it belongs to one; it starts no sooner
 * @param acceptance when it was accepted
 */
record LiveAttempt(
    Place place,
    Allocation allocation,
    Phase phase,
    Said said,
    Optional<Stages> stages,
    boolean joined,
    Acceptance acceptance) {
  /** Numbers that an acceptance reserves, and each further reservation adds. */
  static final int SEQ_BLOCK = 64;

  static final long NEVER = Long.MIN_VALUE / 2;

  /**
   * What was told.
   *
   * @param last the newest ACCEPTED or RUNNING event, unsigned: the answer to a duplicate
   * @param seq of the newest event
   * @param reservedSeq up to which numbers are journaled as used
   * @param progressAt CLOCK_BOOTTIME in ms of the last progress event, or long ago
   */
  record Said(AttemptEvent last, int seq, int reservedSeq, long progressAt) {}

  /**
   * When it was accepted.
   *
   * @param at ms since 1970
   * @param boot of the machine; empty if that is not known
   */
  record Acceptance(long at, Optional<String> boot) {}

  static LiveAttempt accepted(
      Place place, Allocation allocation, AttemptEvent event, Optional<String> boot) {
    boolean staged = place.workload() instanceof Workload.Staged;
    return new LiveAttempt(
        place,
        allocation,
        Phase.accepted(),
        new Said(event, event.seq(), SEQ_BLOCK, NEVER),
        staged ? Optional.of(Stages.NONE) : Optional.empty(),
        false,
        new Acceptance(event.at(), boot));
  }

  AttemptKey key() {
    return AttemptKey.of(place);
  }

  Workload workload() {
    return place.workload();
  }

  /** Whether a worker of a pool runs it. */
  boolean onPool() {
    return place.workload() instanceof Workload.PoolTask;
  }

  AttemptEvent last() {
    return said.last();
  }

  int seq() {
    return said.seq();
  }

  LiveAttempt in(Phase next) {
    return new LiveAttempt(place, allocation, next, said, stages, joined, acceptance);
  }

  LiveAttempt says(AttemptEvent event) {
    return with(new Said(event, event.seq(), said.reservedSeq(), said.progressAt()));
  }

  LiveAttempt counted(int number) {
    return with(new Said(said.last(), number, said.reservedSeq(), said.progressAt()));
  }

  LiveAttempt reserved(int upTo) {
    return with(new Said(said.last(), said.seq(), upTo, said.progressAt()));
  }

  LiveAttempt progressed(long bootMs) {
    return with(new Said(said.last(), said.seq(), said.reservedSeq(), bootMs));
  }

  private LiveAttempt with(Said now) {
    return new LiveAttempt(place, allocation, phase, now, stages, joined, acceptance);
  }

  /** With what it has now for its stage. */
  LiveAttempt at(Stages next, Allocation given) {
    return new LiveAttempt(place, given, phase, said, Optional.of(next), joined, acceptance);
  }

  /** Whether another boot of the machine than this one took it; false where that is not known. */
  boolean onAnotherBootThan(Optional<String> boot) {
    Optional<String> own = acceptance.boot();
    return own.isPresent() && boot.isPresent() && !own.equals(boot);
  }

  /** Whether nothing of it can be left once the machine was started again. */
  boolean diesWithItsHost() {
    return place.workload().runner().isEmpty();
  }

  /** Whether it is held here until all members of its gang have accepted theirs. */
  boolean awaitsGang() {
    return place.gang() != null && !joined;
  }

  /** Whether it is held behind CPU slots: none of it has begun. */
  boolean heldBehindSlots() {
    return place.lookAhead().isPresent()
        && allocation.cpuSlots() < place.workload().share().cpuSlots();
  }

  /** With the CPU slots that it was held behind. */
  LiveAttempt admitted(Allocation given) {
    return new LiveAttempt(place, given, phase, said, stages, joined, acceptance);
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
    return new LiveAttempt(other, allocation, phase, said, stages, complete, acceptance);
  }
}
