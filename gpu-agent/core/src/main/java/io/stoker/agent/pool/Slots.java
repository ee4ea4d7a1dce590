package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Phase;
import io.stoker.agent.pool.Slot.Queued;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;

/** The workers' places of a pool, and which of them comes next. */
final class Slots implements Iterable<Slot> {
  private final PoolSettings settings;
  private final Slot[] all;
  private int next;

  Slots(PoolSettings settings) {
    this.settings = settings;
    all = new Slot[settings.slots()];
    Arrays.setAll(all, Slot::new);
  }

  @Override
  public Iterator<Slot> iterator() {
    return Arrays.asList(all).iterator();
  }

  Stream<Slot> stream() {
    return Stream.of(all);
  }

  /** That of a process. */
  Optional<Slot> of(int process) {
    return stream()
        .filter(slot -> slot.process == process && slot.phase() != Phase.EMPTY)
        .findFirst();
  }

  /**
   * Which gets the next task. Round robin that skips the full: first among those with nothing to
   * do, last those without a process.
   */
  Optional<Slot> choose() {
    return round(slot -> slot.phase() == Phase.IDLE && slot.queue.isEmpty())
        .or(() -> round(slot -> slot.up() && hasRoom(slot)))
        .or(() -> round(slot -> slot.starting() && hasRoom(slot)))
        .or(this::withRoom);
  }

  Optional<Slot> withRoom() {
    return round(this::hasRoom);
  }

  private boolean hasRoom(Slot slot) {
    return !slot.retired && slot.held() < settings.each();
  }

  /** The one after this comes next. */
  void took(Slot slot) {
    next = (slot.index + 1) % all.length;
  }

  /** The next that is so, in turn. */
  Optional<Slot> round(Predicate<Slot> which) {
    for (int i = 0; i < all.length; i++) {
      Slot slot = all[(next + i) % all.length];
      if (which.test(slot)) {
        return Optional.of(slot);
      }
    }
    return Optional.empty();
  }

  /**
   * Its own next task, or of those behind others the one that waits longest; null if none waits.
   */
  Queued take(Slot slot) {
    Queued own = slot.queue.poll();
    return own != null
        ? own
        : stream()
            .filter(other -> !other.queue.isEmpty())
            .min(Comparator.comparingLong(other -> other.queue.peek().at()))
            .map(other -> other.queue.poll())
            .orElse(null);
  }

  int count(Predicate<Slot> which) {
    return sum(slot -> which.test(slot) ? 1 : 0);
  }

  private int sum(ToIntFunction<Slot> of) {
    int sum = 0;
    for (Slot slot : all) {
      sum += of.applyAsInt(slot);
    }
    return sum;
  }

  int up() {
    return count(Slot::up);
  }

  int busy() {
    return count(slot -> slot.phase() == Phase.BUSY);
  }

  /** Tasks that workers were told to do and have not done. */
  int told() {
    return sum(Slot::told);
  }

  int starting() {
    return count(Slot::starting);
  }

  /** Workers on their way, in time, in places where no start has come to nothing yet. */
  int untried() {
    return count(slot -> slot.starting() && !slot.late && slot.failures == 0);
  }

  int waiting() {
    return sum(slot -> slot.queue.size());
  }

  /** What runs, and what waits. */
  Stream<Task> tasks() {
    return stream()
        .flatMap(
            slot ->
                Stream.concat(
                    slot.assigned().map(Assignment::task), slot.queue.stream().map(Queued::task)));
  }

  /** Whether the workers that are always to be there are. */
  boolean staffed() {
    return up() >= settings.min();
  }

  boolean empty() {
    return count(slot -> slot.phase() != Phase.EMPTY) == 0;
  }

  /** What all that are not given up hold at most. */
  int capacity() {
    return settings.each() * count(slot -> !slot.retired);
  }

  /** All are tried again. */
  void renew() {
    for (Slot slot : all) {
      slot.retired = false;
      slot.failures = 0;
      slot.notBefore = 0;
    }
  }

  /** There is work: nobody stays away for others' sake. */
  void wake() {
    for (Slot slot : all) {
      slot.yielded = false;
    }
  }
}
