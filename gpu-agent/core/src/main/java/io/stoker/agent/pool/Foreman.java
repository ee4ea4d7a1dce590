package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Held;
import io.stoker.agent.pool.Slot.Phase;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Brings tasks to workers, and as many workers as tasks need, within the bounds of the pool. */
final class Foreman {
  /** What is told to a worker ahead is begun within about so many ms. */
  private static final long AHEAD_MS = 20;

  private final PoolSettings settings;
  private final Slots slots;
  private final Tasks tasks;
  private final Crew crew;
  private final Door door;
  private final Consumer<PoolEffect> effects;
  private long commands;

  Foreman(Works works) {
    settings = works.settings();
    slots = works.slots();
    tasks = works.tasks();
    crew = works.crew();
    door = works.door();
    effects = works.effects();
  }

  /** Gives tasks to those that have none. */
  void give(long now) {
    for (Slot slot : slots) {
      if (slot.phase() == Phase.IDLE) {
        give(slot, now);
      }
    }
    for (Slot slot : slots) {
      if (slot.phase() == Phase.BUSY && slot.lines > 0 && !settings.single()) {
        giveAhead(slot, now);
      }
    }
  }

  /**
   * Short tasks are told before their turn, so that the worker need not wait for what is decided of
   * each. What it was told waits for nobody else: so no more than it does within a moment.
   */
  private void giveAhead(Slot slot, long now) {
    int most = Math.min(slot.lines, tasks.counts.within(AHEAD_MS));
    while (slot.ahead.size() < most
        && now - slot.since < AHEAD_MS
        && !slot.queue.isEmpty()
        && hasOutput()) {
      Line line = line(slot.queue.poll(), now);
      slot.ahead.add(line);
      effects.accept(new PoolEffect.Give(slot.process, line.n, line.task(), true));
    }
  }

  private boolean hasOutput() {
    return slots.told() + tasks.counts.undelivered() < settings.output();
  }

  private Line line(Held held, long now) {
    tasks.counts.began(now - held.queuedAt());
    return new Line(held, ++commands);
  }

  private void give(Slot slot, long now) {
    if (settings.single() && slot.used) {
      crew.stop(slot, now);
      return;
    }
    if (!hasOutput()) {
      return;
    }
    Held held = slots.take(slot);
    if (held != null) {
      Line line = line(held, now);
      slot.running = Optional.of(line);
      slot.used = true;
      slot.enter(Phase.BUSY, now);
      effects.accept(new PoolEffect.Give(slot.process, line.n, line.task(), false));
    }
  }

  /** Ends workers that are not needed, and asks for those that are. */
  void staff(long now) {
    boolean nothing = slots.waiting() == 0;
    boolean over = !door.runs() || (door.closing().isPresent() && nothing);
    for (Slot slot : slots) {
      if (slot.phase() == Phase.IDLE && (over || (nothing && crew.surplus(slot, now)))) {
        crew.stop(slot, now);
      }
    }
    while (wanted() && crew.start(now)) {
      // One more is under way.
    }
  }

  /** Whether there should be one more: for those that wait, or to have as many as always. */
  private boolean wanted() {
    if (!door.runs()) {
      return false;
    }
    int starting = slots.starting();
    if (slots.waiting() > starting && tasks.counts.undelivered() < settings.output()) {
      return true;
    }
    int yielded = slots.count(slot -> slot.yielded && slot.phase() != Phase.IDLE);
    return door.closing().isEmpty() && slots.up() + starting + yielded < settings.min();
  }

  OptionalLong nextTick() {
    return crew.nextTick(wanted(), door.takes() && slots.waiting() == 0);
  }
}
