package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Held;
import io.stoker.agent.pool.Slot.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Decides for one pool of warm workers; it does nothing itself. Each call takes the state forward;
 * what is to be done of it is collected by {@link #effects}. Times are of one clock, in ms.
 *
 * <p>Every task that was taken leaves exactly once, by a {@link PoolEffect.Left}. One that had
 * begun leaves no earlier than its worker has answered or is gone.
 */
public final class Pool {
  private final PoolSettings settings;
  private final Slots slots;
  private final Tasks tasks;
  private final Crew crew;
  private final Door door;
  private final Works works;
  private final Foreman foreman;
  private final Orders orders;
  private final Arrivals arrivals;
  private final Departures departures;
  private final Floor floor;
  private List<PoolEffect> effects = new ArrayList<>();
  private int capacity;

  public Pool(PoolSettings settings) {
    this(settings, PoolMemory.NONE, 0);
  }

  /**
   * @param memory of the agents before this
   * @param begun tasks that workers of theirs had begun: each is {@link #lost} yet
   */
  public Pool(PoolSettings settings, PoolMemory memory, int begun) {
    this.settings = settings;
    works = Works.of(settings, memory, begun, effect -> effects.add(effect));
    slots = works.slots();
    tasks = works.tasks();
    crew = works.crew();
    door = works.door();
    foreman = new Foreman(works);
    orders = new Orders(works, memory);
    arrivals = new Arrivals(works);
    departures = new Departures(works, orders::remember);
    floor = new Floor(works);
    capacity = capacity();
  }

  public PoolSettings settings() {
    return settings;
  }

  /** What is to be done since it was asked last. */
  public List<PoolEffect> effects() {
    if (capacity() != capacity) {
      capacity = capacity();
      effects.add(new PoolEffect.CapacityChanged());
    }
    List<PoolEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }

  private int capacity() {
    return door.takes() ? slots.capacity() : 0;
  }

  /** Why a task would not be taken now, if so. */
  public Optional<String> full() {
    if (!door.takes()) {
      String why = door.reason() == null ? "" : ": " + door.reason();
      return Optional.of("pool " + settings.name() + " is " + door.status() + why);
    }
    return slots.choose().isPresent()
        ? Optional.empty()
        : Optional.of("pool %s holds %d tasks already".formatted(settings.name(), capacity()));
  }

  /** Takes a task, unless it is {@link #full}; never blocks. */
  public boolean offer(Task task, long now) {
    Optional<Slot> slot = door.takes() ? slots.choose() : Optional.empty();
    if (slot.isEmpty()) {
      return false;
    }
    slots.took(slot.get());
    slots.wake();
    slot.get().queue.add(new Held(task, now));
    tasks.counts.queued++;
    work(now);
    return true;
  }

  /** Counts a task that was accepted for it, and has ended before it could be offered. */
  public void neverOffered(boolean failed) {
    tasks.counts.passed(failed);
  }

  /** A task that a worker of an earlier agent had begun is over: that worker is gone. */
  public void lost(Task task, long now) {
    tasks.left(
        new Held(task, now),
        new TaskEnd.Lost("its worker has gone with the agent before this"),
        now);
    work(now);
  }

  /** A worker's devices were given and its process is being started. */
  public void granted(int process, long now) {
    arrivals.granted(process, now);
  }

  /** A worker cannot be had now, through no fault of its own. */
  public void refused(int process, String why, long now) {
    arrivals.refused(process, why, now);
    settle(now);
  }

  /** A worker is ready for work, one task at a time. */
  public void ready(int process, long now) {
    ready(process, 0, now);
  }

  /**
   * A worker is ready for work.
   *
   * @param ahead tasks that it can be told besides the one that it runs; it says of each when it
   *     begins it
   */
  public void ready(int process, int ahead, long now) {
    arrivals.ready(process, ahead, now);
    work(now);
  }

  /** The task that a worker runs under this number; empty if it runs none, or another. */
  public Optional<Task> running(int process, long n) {
    return floor.running(process, n);
  }

  /** Those that it was given and that have not left it. */
  public List<Task> tasks() {
    return slots.held().map(Held::task).toList();
  }

  /** A worker has answered; what it says of anything that it was not told is left out. */
  public void answered(int process, long n, Answer answer, long now) {
    floor.answered(process, n, answer, now);
    work(now);
  }

  /** A worker's process is gone, with all that it started. */
  public void gone(int process, String how, long now) {
    slots.of(process).ifPresent(slot -> departures.gone(slot, how, now));
    work(now);
  }

  /**
   * Takes a task out; one that runs leaves when its worker is gone.
   *
   * @param failed whether it counts as failed
   */
  public void remove(Task task, boolean failed, long now) {
    floor.remove(task, failed, now);
    settle(now);
  }

  /** The ends of tasks are on disk, and told. */
  public void delivered(List<Task> all, long now) {
    tasks.delivered(all, now);
    work(now);
  }

  /** Begins a session: nothing of what the pool has goes on, and it serves. */
  public void reset(long now) {
    orders.reset(now);
    work(now);
  }

  /** Closes it because it was told to, or closes it harder; softer than before changes nothing. */
  public void close(Closing how, long now) {
    orders.close(how, now);
    work(now);
  }

  /** Closes it with the agent: what runs is given the time-out to end. The next one serves. */
  public void shutdown(long now) {
    orders.shutdown(now);
    work(now);
  }

  /** Opens it again; one that serves is left as it is. */
  public void open(long now) {
    orders.open();
    work(now);
  }

  /** Gives up what workers hold that have nothing to do, until there is work. */
  public void yield(long now) {
    crew.yield(now);
  }

  /** A worker cannot be trusted to end by itself: a device of it has failed. */
  public void deviceFailed(int process, String why, long now) {
    slots.of(process).ifPresent(slot -> crew.kill(slot, new TaskEnd.DeviceFailed(why), now));
  }

  /** No process may be left: whatever still runs is taken out by its own {@link #remove}. */
  public void lapse(long now) {
    crew.killAll(works.returned("has lost its host's lease"), now);
  }

  /** Time has passed. */
  public void tick(long now) {
    orders.tick(now);
    List<String> missing = crew.late(now);
    if (!missing.isEmpty()) {
      works.note("not up within %d ms: workers %s", settings.start(), String.join(", ", missing));
    }
    if (works.supply().takeDespair(now)) {
      tasks.clear(slots, works.returned("can have no worker now"), now);
    }
    work(now);
  }

  /** When {@link #tick} is due; empty if nothing is. */
  public OptionalLong nextTick() {
    return door.status() == PoolStatus.CLOSED
        ? OptionalLong.empty()
        : Stream.of(door.nextTick(), works.supply().nextTick(), foreman.nextTick().stream())
            .flatMapToLong(due -> due)
            .min();
  }

  /** Everything that follows of a change: tasks to workers, workers for tasks, and an end. */
  private void work(long now) {
    foreman.give(now);
    settle(now);
  }

  private void settle(long now) {
    foreman.staff(now);
    if (door.status() == PoolStatus.CLOSING && slots.waiting() == 0 && slots.empty()) {
      door.closed();
      works.note("closed");
    }
  }

  /** Whether it holds devices for workers that have nothing to do. */
  public boolean warm() {
    return slots.count(slot -> slot.phase() == Phase.IDLE) > 0;
  }

  /** Whether a worker is at work, or about to be. */
  public boolean busy(int process) {
    return slots.of(process).map(slot -> slot.phase() != Phase.IDLE).orElse(false);
  }

  /** Whether it was closed, and has ended all that it had. */
  public boolean closed() {
    return door.status() == PoolStatus.CLOSED;
  }

  /** Whether no process of it is left. */
  public boolean empty() {
    return slots.empty();
  }

  public PoolReport report() {
    return PoolReport.of(
        settings.name(),
        door.status(),
        door.reason(),
        orders.session(),
        capacity(),
        slots,
        tasks.counts);
  }
}
