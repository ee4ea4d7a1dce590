package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import java.util.Optional;

/**
 * Workers on their way: each that was asked for is granted or refused, and gets ready or is gone.
 */
final class Arrivals {
  private final Works works;
  private final Slots slots;
  private final Supply supply;

  Arrivals(Works works) {
    this.works = works;
    slots = works.slots();
    supply = works.supply();
  }

  /** Its devices were given and its process is being started. */
  void granted(int process, long now) {
    in(Phase.WANTED, process).ifPresent(slot -> slot.enter(Phase.STARTING, now));
  }

  /** It cannot be had now, through no fault of its own. */
  void refused(int process, String why, long now) {
    Optional<Slot> refused = slots.of(process).filter(Slot::starting);
    if (refused.isPresent()) {
      Crew.vacate(refused.get(), now);
      if (supply.refused(refused.get(), slots.up() == 0, now)) {
        works.note("no worker can be had: %s", why);
      }
    }
  }

  /**
   * It is ready for work.
   *
   * @param ahead tasks that it can be told besides the one that it runs
   */
  void ready(int process, int ahead, long now) {
    Optional<Slot> starting = in(Phase.STARTING, process);
    if (starting.isPresent()) {
      starting.get().lines = Math.min(Answer.MOST_AHEAD, Math.max(0, ahead));
      supply.ready(starting.get(), now);
      if (works.door().status() == PoolStatus.STARTING && works.up()) {
        works.door().serve(true);
        works.note("all %d workers are up", works.settings().min());
      }
    }
  }

  private Optional<Slot> in(Phase phase, int process) {
    return slots.of(process).filter(slot -> slot.phase() == phase);
  }
}
