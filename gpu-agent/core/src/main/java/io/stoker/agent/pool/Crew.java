package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/** Starts and ends the processes of a pool's workers. */
final class Crew {
  /** How long a worker may take, ms, to say that it does not begin what comes next. */
  static final long WITHDRAWING = 1_000;

  private final PoolSettings settings;
  private final Slots slots;
  private final Consumer<PoolEffect> effects;
  private int processes;

  Crew(PoolSettings settings, Slots slots, Consumer<PoolEffect> effects) {
    this.settings = settings;
    this.slots = slots;
    this.effects = effects;
  }

  /** Asks for a process in a place that has none, if there is one. */
  boolean start(long now) {
    Optional<Slot> place =
        slots.round(slot -> slot.phase() == Phase.EMPTY && !slot.retired && slot.notBefore <= now);
    place.ifPresent(
        slot -> {
          slot.process = ++processes;
          slot.yielded = false;
          slot.used = false;
          slot.enter(Phase.WANTED, now);
          effects.accept(new PoolEffect.Start(slot.index, slot.process));
        });
    return place.isPresent();
  }

  /** Tells a worker without work to end. */
  void stop(Slot slot, long now) {
    slot.enter(Phase.STOPPING, now);
    effects.accept(new PoolEffect.Stop(slot.process));
  }

  /**
   * Ends a worker whatever it does.
   *
   * @param end of its task, if it has one, when it is gone
   */
  void kill(Slot slot, TaskEnd end, long now) {
    if (slot.phase() != Phase.KILLING) {
      slot.enter(Phase.KILLING, now);
      slot.doom = Optional.of(end);
      effects.accept(new PoolEffect.Kill(slot.process));
    }
  }

  /** Ends all of them. */
  void killAll(TaskEnd end, long now) {
    for (Slot slot : slots) {
      if (slot.phase() != Phase.EMPTY) {
        kill(slot, end, now);
      }
    }
  }

  /** Ends those that have nothing to do, until there is work. */
  void yield(long now) {
    for (Slot slot : slots) {
      if (slot.phase() == Phase.IDLE) {
        slot.yielded = true;
        stop(slot, now);
      }
    }
  }

  /** Its process is gone. */
  static void vacate(Slot slot, long now) {
    slot.enter(Phase.EMPTY, now);
    slot.process = 0;
    slot.running = Optional.empty();
    slot.ahead.clear();
    slot.lines = 0;
    slot.doom = Optional.empty();
  }

  /**
   * Kills who is not ready in time, and who has not ended in time.
   *
   * @return the workers that are not ready
   */
  List<String> late(long now) {
    List<String> missing = new ArrayList<>();
    for (Slot slot : slots) {
      if (slot.phase() == Phase.STARTING && now - slot.since >= settings.start()) {
        missing.add(Integer.toString(slot.index));
        effects.accept(new PoolEffect.Kill(slot.process));
        slot.since = now; // it stays a start that has failed until it is gone
      } else if (slot.phase() == Phase.STOPPING && now - slot.since >= settings.close()) {
        slot.enter(Phase.KILLING, now);
        effects.accept(new PoolEffect.Kill(slot.process));
      } else if (mute(slot) && now - slot.since >= WITHDRAWING) {
        kill(slot, new TaskEnd.Removed(false), now);
      }
    }
    return missing;
  }

  /** Whether it is its turn to say what became of a task that it was told not to begin. */
  private static boolean mute(Slot slot) {
    return slot.phase() == Phase.BUSY && slot.running.map(line -> line.withdrawn).orElse(false);
  }

  /** Whether a worker has been idle for too long. */
  boolean surplus(Slot slot, long now) {
    return slots.up() > settings.min() && now - slot.since >= settings.idle();
  }

  /**
   * When something of this is due.
   *
   * @param wanted whether there should be one more
   * @param quiet whether nobody waits, and the pool takes tasks
   */
  OptionalLong nextTick(boolean wanted, boolean quiet) {
    boolean shrinks = quiet && slots.up() > settings.min();
    return slots.stream()
        .flatMapToLong(
            slot ->
                switch (slot.phase()) {
                  case STARTING -> LongStream.of(slot.since + settings.start());
                  case STOPPING -> LongStream.of(slot.since + settings.close());
                  case BUSY ->
                      mute(slot) ? LongStream.of(slot.since + WITHDRAWING) : LongStream.empty();
                  case IDLE ->
                      shrinks ? LongStream.of(slot.since + settings.idle()) : LongStream.empty();
                  case EMPTY ->
                      wanted && slot.notBefore > 0
                          ? LongStream.of(slot.notBefore)
                          : LongStream.empty();
                  default -> LongStream.empty();
                })
        .min();
  }
}
