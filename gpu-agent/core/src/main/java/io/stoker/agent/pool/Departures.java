package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Held;
import java.util.List;
import java.util.Optional;

/** What becomes of tasks, and of the pool, when the process of a worker is gone. */
final class Departures {
  private final Works works;
  private final Slots slots;
  private final Runnable remember;

  /**
   * @param remember run when a crash was counted
   */
  Departures(Works works, Runnable remember) {
    this.works = works;
    this.slots = works.slots();
    this.remember = remember;
  }

  void gone(Slot slot, String how, long now) {
    boolean asked = slot.phase() == Slot.Phase.STOPPING || slot.phase() == Slot.Phase.KILLING;
    boolean neverReady = slot.starting();
    Optional<Line> lost = slot.running;
    List<Line> ahead = List.copyOf(slot.ahead);
    TaskEnd end = slot.doom.orElseGet(() -> new TaskEnd.Crashed(how));
    Crew.vacate(slot, now);
    lost.ifPresent(line -> works.tasks().left(line.held, endOf(line, end), now));
    ahead.reversed().forEach(line -> unbegun(slot, line, end, now));
    if (neverReady) {
      works.supply().failed(slot, now);
      works.note("worker %d did not get ready: %s", slot.index, how);
    } else if (!asked) {
      works.tasks().counts.crashes++;
      remember.run();
      works.note("worker %d has ended: %s", slot.index, how);
    }
    slot.retired |= !asked && !works.settings().restart();
    if (works.supply().hopeless() || slot.retired) {
      giveUp(slot, how, now);
    }
  }

  private static TaskEnd endOf(Line line, TaskEnd end) {
    return line.neverBegan() ? new TaskEnd.Withdrawn() : end;
  }

  /**
   * What it was told ahead waits again, before all that waits for it, unless it was begun: that
   * ends with its worker, for which it is not to blame.
   */
  private void unbegun(Slot slot, Line line, TaskEnd end, long now) {
    boolean closes = works.door().closing().filter(how -> how != Closing.DRAIN).isPresent();
    if (line.neverBegan()) {
      works.tasks().left(line.held, new TaskEnd.Withdrawn(), now);
    } else if (end instanceof TaskEnd.Reset || end instanceof TaskEnd.Returned) {
      works.tasks().left(line.held, end, now);
    } else if (line.begun) {
      TaskEnd another = new TaskEnd.Lost("its worker ended for the sake of the job before it");
      works.tasks().left(line.held, another, now);
    } else if (closes) {
      works.tasks().left(line.held, works.returned("was closed"), now);
    } else {
      slot.queue.addFirst(line.held);
      works.effects().accept(new PoolEffect.Back(line.task()));
    }
  }

  /** Its tasks go to the others as far as they have room; the last one takes the pool with it. */
  private void giveUp(Slot slot, String how, long now) {
    boolean none = slots.count(other -> !other.retired) == 0;
    if (slots.up() == 0 && (none || works.supply().hopeless())) {
      String why = "none of its workers can be had; the last one: " + how;
      works.door().fail(why);
      works.note("%s", why);
      works.tasks().clear(slots, works.returned("has failed: " + why), now);
    } else if (slot.retired) {
      List<Held> orphans = List.copyOf(slot.queue);
      slot.queue.clear();
      for (Held held : orphans) {
        slots
            .withRoom()
            .ifPresentOrElse(
                other -> other.queue.add(held),
                () ->
                    works.tasks().left(held, works.returned("has lost its worker for good"), now));
      }
    }
  }
}
