package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * The processes of a pool's workers: each that is asked for is granted or refused, gets ready or is
 * gone, and ends when it is told to, or is killed.
 */
final class WorkerProcesses {
  /** How long a worker may take, ms, to say that it does not begin what comes next. */
  static final long WITHDRAWING = 1_000;

  private final PoolContext context;
  private final PoolSettings settings;
  private final PoolLifecycle lifecycle;
  private final Slots slots;
  private final TaskCounts counts;
  private final StartBackoff backoff;
  private int processes;

  WorkerProcesses(
      PoolContext context,
      PoolLifecycle lifecycle,
      Slots slots,
      TaskCounts counts,
      StartBackoff backoff) {
    this.context = context;
    this.settings = context.settings();
    this.lifecycle = lifecycle;
    this.slots = slots;
    this.counts = counts;
    this.backoff = backoff;
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
          context.effect(new PoolEffect.Start(slot.index, slot.process));
        });
    return place.isPresent();
  }

  /** Its devices were given and its process is being started. */
  void granted(int process, long now) {
    in(Phase.WANTED, process).ifPresent(slot -> slot.enter(Phase.STARTING, now));
  }

  /** It cannot be had now, through no fault of its own; of one that is being killed that is all. */
  void refused(int process, String why, long now) {
    Optional<Slot> starting = slots.of(process).filter(Slot::starting);
    starting.or(() -> in(Phase.KILLING, process)).ifPresent(slot -> slot.vacate(now));
    if (starting.isPresent() && backoff.refused(starting.get(), slots.up() == 0, now)) {
      context.note("no worker can be had: %s", why);
    }
  }

  /**
   * It is ready for work, unless it is being killed since it was not in time.
   *
   * @param ahead tasks that it can be told besides the one that it runs
   */
  void ready(int process, int ahead, long now) {
    Optional<Slot> starting = in(Phase.STARTING, process).filter(slot -> !slot.late);
    if (starting.isPresent()) {
      starting.get().mostAhead = Math.min(Answer.MOST_AHEAD, Math.max(0, ahead));
      backoff.ready(starting.get(), now);
      if (lifecycle.status() == PoolStatus.STARTING && slots.staffed()) {
        lifecycle.serve(true);
        context.note("all %d workers are up", settings.min());
      }
    }
  }

  private Optional<Slot> in(Phase phase, int process) {
    return slots.of(process).filter(slot -> slot.phase() == phase);
  }

  /** Its process is gone, and what became of its tasks is known. */
  void gone(Slot slot, String how, long now) {
    boolean asked = slot.phase() == Phase.STOPPING || slot.phase() == Phase.KILLING;
    boolean neverReady = slot.starting();
    slot.vacate(now);
    if (neverReady) {
      backoff.failed(slot, now);
      context.note("worker %d did not get ready: %s", slot.index, how);
    } else if (!asked) {
      counts.crashes++;
      lifecycle.remember();
      context.note("worker %d has ended: %s", slot.index, how);
    }
    slot.retired |= !asked && !settings.restart();
  }

  /** Tells a worker without work to end. */
  void stop(Slot slot, long now) {
    slot.enter(Phase.STOPPING, now);
    context.effect(new PoolEffect.Stop(slot.process));
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
      context.effect(new PoolEffect.Kill(slot.process));
    }
  }

  /** Ends those that are at work. */
  void killBusy(TaskEnd end, long now) {
    slots.stream().filter(slot -> slot.phase() == Phase.BUSY).forEach(slot -> kill(slot, end, now));
  }

  /** Ends a session: those that are at work, and what those were told ahead that are killed now. */
  void reset(long now) {
    killBusy(new TaskEnd.Reset(), now);
    slots.stream().filter(slot -> slot.phase() == Phase.KILLING).forEach(slot -> slot.reset = true);
  }

  /** Ends all of them. */
  void killAll(TaskEnd end, long now) {
    slots.stream()
        .filter(slot -> slot.phase() != Phase.EMPTY)
        .forEach(slot -> kill(slot, end, now));
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

  /** Kills who is not ready in time, and who has not ended in time. */
  void late(long now) {
    List<String> missing = new ArrayList<>();
    for (Slot slot : slots) {
      if (slot.phase() == Phase.STARTING && now - slot.since >= settings.start()) {
        missing.add(Integer.toString(slot.index));
        context.effect(new PoolEffect.Kill(slot.process));
        slot.late = true; // it stays a start that has failed until it is gone
        slot.since = now;
      } else if (slot.phase() == Phase.STOPPING && now - slot.since >= settings.close()) {
        slot.enter(Phase.KILLING, now);
        context.effect(new PoolEffect.Kill(slot.process));
      } else if (slot.withdrawing() && now - slot.since >= WITHDRAWING) {
        kill(slot, new TaskEnd.Removed(false), now);
      }
    }
    if (!missing.isEmpty()) {
      context.note("not up within %d ms: workers %s", settings.start(), String.join(", ", missing));
    }
  }

  /** When some may be late. */
  LongStream nextTick() {
    return slots.stream()
        .flatMapToLong(
            slot ->
                switch (slot.phase()) {
                  case STARTING -> LongStream.of(slot.since + settings.start());
                  case STOPPING -> LongStream.of(slot.since + settings.close());
                  default ->
                      slot.withdrawing()
                          ? LongStream.of(slot.since + WITHDRAWING)
                          : LongStream.empty();
                });
  }
}
