package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Held;
import io.stoker.agent.pool.Slot.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;

/**
 * Decides for one pool of warm workers; it does nothing itself. Each call takes the state forward;
 * what is to be done of it is collected by {@link #effects}. Times are of one clock, in ms.
 *
 * <p>Every task that was taken leaves exactly once, by a {@link PoolEffect.Left}. One that had
 * begun leaves no earlier than its worker has answered or is gone.
 */
public final class Pool {
  /** Starts in a row that come to nothing before the pool is given up. */
  static final int MOST_FAILURES = 3;

  /** Before a worker that could not be had is asked for again. */
  static final long PAUSE = 500;

  private final PoolSettings settings;
  private final Slots slots;
  private final Tasks tasks = new Tasks(this::add);
  private final Crew crew;
  private List<PoolEffect> effects = new ArrayList<>();
  private PoolStatus status;
  private Optional<Closing> closing = Optional.empty();
  private OptionalLong abortAt = OptionalLong.empty();
  private String reason;
  private int session = 1;
  private long commands;
  private int capacity;

  /** Starts in a row that came to nothing. */
  private int failures;

  /** Since when no worker can be had, for tasks that wait for one. */
  private OptionalLong without = OptionalLong.empty();

  public Pool(PoolSettings settings) {
    this.settings = settings;
    slots = new Slots(settings);
    crew = new Crew(settings, slots, this::add);
    status = settings.min() > 0 ? PoolStatus.STARTING : PoolStatus.SERVING;
    capacity = capacity();
  }

  public PoolSettings settings() {
    return settings;
  }

  private void add(PoolEffect effect) {
    effects.add(effect);
  }

  private void note(String sentence, Object... details) {
    add(new PoolEffect.Note("pool " + settings.name() + ": " + sentence.formatted(details)));
  }

  /** What is to be done since it was asked last. */
  public List<PoolEffect> effects() {
    if (capacity() != capacity) {
      capacity = capacity();
      add(new PoolEffect.CapacityChanged());
    }
    List<PoolEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }

  private int capacity() {
    return status.takes() ? slots.capacity() : 0;
  }

  /** Why a task would not be taken now, if so. */
  public Optional<String> full() {
    if (!status.takes()) {
      String why = reason == null ? "" : ": " + reason;
      return Optional.of("pool " + settings.name() + " is " + status + why);
    }
    return slots.choose().isPresent()
        ? Optional.empty()
        : Optional.of("pool %s holds %d tasks already".formatted(settings.name(), capacity()));
  }

  /** Takes a task, unless it is {@link #full}; never blocks. */
  public boolean offer(Task task, long now) {
    Optional<Slot> slot = status.takes() ? slots.choose() : Optional.empty();
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

  /** A worker's devices were given and its process is being started. */
  public void granted(int process, long now) {
    slots
        .of(process)
        .filter(slot -> slot.phase == Phase.WANTED)
        .ifPresent(slot -> slot.enter(Phase.STARTING, now));
  }

  /** A worker cannot be had now, through no fault of its own. */
  public void refused(int process, String why, long now) {
    Optional<Slot> refused = slots.of(process).filter(Slot::starting);
    if (refused.isPresent()) {
      Crew.vacate(refused.get(), now);
      refused.get().notBefore = now + PAUSE;
      if (without.isEmpty() && slots.up() == 0) {
        without = OptionalLong.of(now);
        note("no worker can be had: %s", why);
      }
    }
    settle(now);
  }

  /** A worker is ready for work. */
  public void ready(int process, long now) {
    Optional<Slot> starting = slots.of(process).filter(slot -> slot.phase == Phase.STARTING);
    if (starting.isPresent()) {
      starting.get().failures = 0;
      starting.get().enter(Phase.IDLE, now);
      failures = 0;
      without = OptionalLong.empty();
      if (status == PoolStatus.STARTING && slots.up() >= settings.min()) {
        status = PoolStatus.SERVING;
        note("all %d workers are up", settings.min());
      }
    }
    work(now);
  }

  /** The task that a worker runs under this number; empty if it runs none, or another. */
  public Optional<Task> running(int process, long n) {
    return atWork(process, n).flatMap(slot -> slot.running).map(Held::task);
  }

  private Optional<Slot> atWork(int process, long n) {
    return slots.of(process).filter(slot -> slot.phase == Phase.BUSY && slot.n == n);
  }

  /** A worker has answered; what it says of anything but the task that it runs is left out. */
  public void answered(int process, long n, Answer answer, long now) {
    Optional<Slot> busy = atWork(process, n);
    if (busy.isEmpty() || answer instanceof Answer.Progress) {
      return;
    }
    Slot slot = busy.get();
    Held held = slot.running.orElseThrow();
    slot.running = Optional.empty();
    tasks.counts.ran(now - slot.since);
    slot.enter(Phase.IDLE, now);
    tasks.left(held, new TaskEnd.Answered(answer), now);
    work(now);
  }

  /** A worker's process is gone, with all that it started. */
  public void gone(int process, String how, long now) {
    slots.of(process).ifPresent(slot -> gone(slot, how, now));
    work(now);
  }

  private void gone(Slot slot, String how, long now) {
    boolean asked = slot.phase == Phase.STOPPING || slot.phase == Phase.KILLING;
    boolean neverReady = slot.starting();
    Optional<Held> lost = slot.running;
    TaskEnd end = slot.doom.orElseGet(() -> new TaskEnd.Crashed(how));
    Crew.vacate(slot, now);
    lost.ifPresent(held -> tasks.left(held, end, now));
    if (neverReady) {
      failures++;
      slot.failures++;
      slot.notBefore = now + (PAUSE << Math.min(6, slot.failures));
      note("worker %d did not get ready: %s", slot.index, how);
    } else if (!asked) {
      tasks.counts.crashes++;
      note("worker %d has ended: %s", slot.index, how);
    }
    slot.retired |= !asked && !settings.restart();
    if (failures >= MOST_FAILURES || slot.retired) {
      giveUp(slot, how, now);
    }
  }

  /** Its tasks go to the others as far as they have room; the last one takes the pool with it. */
  private void giveUp(Slot slot, String how, long now) {
    boolean none = slots.count(other -> !other.retired) == 0;
    if (slots.up() == 0 && (none || failures >= MOST_FAILURES)) {
      status = closing.isPresent() ? status : PoolStatus.FAILED;
      reason = "none of its workers can be had; the last one: " + how;
      note("%s", reason);
      tasks.clear(slots, returned("has failed: " + reason), now);
    } else if (slot.retired) {
      List<Held> orphans = List.copyOf(slot.queue);
      slot.queue.clear();
      for (Held held : orphans) {
        slots
            .withRoom()
            .ifPresentOrElse(
                other -> other.queue.add(held),
                () -> tasks.left(held, returned("has lost its worker for good"), now));
      }
    }
  }

  private TaskEnd returned(String why) {
    return new TaskEnd.Returned("pool " + settings.name() + " " + why);
  }

  /** Takes a task out; one that runs leaves when its worker is gone. */
  public void remove(Task task, long now) {
    for (Slot slot : slots) {
      Optional<Held> queued = slot.remove(task);
      if (queued.isPresent()) {
        tasks.left(queued.get(), new TaskEnd.Removed(), now);
      } else if (slot.running.map(held -> held.task().equals(task)).orElse(false)) {
        crew.kill(slot, new TaskEnd.Removed(), now);
      }
    }
    settle(now);
  }

  /** The ends of tasks are on disk, and told. */
  public void delivered(List<Task> all, long now) {
    tasks.delivered(all, now);
    work(now);
  }

  /** Begins a session: nothing of what the pool has goes on, and it serves. */
  public void reset(long now) {
    session++;
    note("reset: session %d", session);
    failures = 0;
    slots.renew();
    killBusy(new TaskEnd.Reset(), now);
    tasks.clear(slots, new TaskEnd.Reset(), now);
    if (status == PoolStatus.FAILED) {
      serve();
    }
    work(now);
  }

  private void killBusy(TaskEnd end, long now) {
    slots.stream()
        .filter(slot -> slot.phase == Phase.BUSY)
        .forEach(slot -> crew.kill(slot, end, now));
  }

  /** Closes it, or closes it harder; softer than before changes nothing. */
  public void close(Closing how, long now) {
    boolean already = closing.map(before -> before.compareTo(how) >= 0).orElse(false);
    if (status == PoolStatus.CLOSED || already) {
      return;
    }
    note("closing: %s", how);
    closing = Optional.of(how);
    status = PoolStatus.CLOSING;
    reason = "it is being closed";
    if (how != Closing.DRAIN) {
      tasks.clear(slots, returned("was closed"), now);
    }
    if (how == Closing.ABORT) {
      killBusy(returned("was closed"), now);
    }
    work(now);
  }

  /** Closes it with the agent: what runs is given the time-out to end. */
  public void shutdown(long now) {
    close(Closing.DISCARD, now);
    if (abortAt.isEmpty() && !closing.equals(Optional.of(Closing.ABORT))) {
      abortAt = OptionalLong.of(now + settings.close());
    }
  }

  /** Opens it again; one that serves is left as it is. */
  public void open(long now) {
    if (!status.takes()) {
      closing = Optional.empty();
      failures = 0;
      slots.renew();
      slots.wake();
      serve();
      work(now);
    }
  }

  private void serve() {
    reason = null;
    status = slots.up() >= settings.min() ? PoolStatus.SERVING : PoolStatus.STARTING;
    note("open");
  }

  /** Gives up what workers hold that have nothing to do, until there is work. */
  public void yield(long now) {
    for (Slot slot : slots) {
      if (slot.phase == Phase.IDLE) {
        slot.yielded = true;
        crew.stop(slot, now);
      }
    }
  }

  /** A worker cannot be trusted to end by itself: a device of it has failed. */
  public void deviceFailed(int process, String why, long now) {
    slots.of(process).ifPresent(slot -> crew.kill(slot, new TaskEnd.DeviceFailed(why), now));
  }

  /** No process may be left: whatever still runs is taken out by its own {@link #remove}. */
  public void lapse(long now) {
    for (Slot slot : slots) {
      if (slot.phase != Phase.EMPTY) {
        crew.kill(slot, returned("has lost its host's lease"), now);
      }
    }
  }

  /** Time has passed. */
  public void tick(long now) {
    if (abortAt.isPresent() && now >= abortAt.getAsLong()) {
      abortAt = OptionalLong.empty();
      close(Closing.ABORT, now);
    }
    List<String> missing = crew.late(now);
    if (!missing.isEmpty()) {
      note("not up within %d ms: workers %s", settings.start(), String.join(", ", missing));
    }
    if (without.isPresent() && now - without.getAsLong() >= settings.start()) {
      without = OptionalLong.empty();
      tasks.clear(slots, returned("can have no worker now"), now);
    }
    work(now);
  }

  /** When {@link #tick} is due; empty if nothing is. */
  public OptionalLong nextTick() {
    if (status == PoolStatus.CLOSED) {
      return OptionalLong.empty();
    }
    LongStream patience =
        without.isPresent()
            ? LongStream.of(without.getAsLong() + settings.start())
            : LongStream.empty();
    boolean quiet = status.takes() && slots.waiting() == 0;
    return LongStream.concat(
            LongStream.concat(abortAt.stream(), patience), crew.nextTick(wanted(), quiet).stream())
        .min();
  }

  /** Everything that follows of a change: tasks to workers, workers for tasks, and an end. */
  private void work(long now) {
    for (Slot slot : slots) {
      if (slot.phase == Phase.IDLE) {
        give(slot, now);
      }
    }
    settle(now);
  }

  private void give(Slot slot, long now) {
    if (settings.single() && slot.used) {
      crew.stop(slot, now);
      return;
    }
    if (slots.busy() + tasks.counts.undelivered() >= settings.output()) {
      return;
    }
    Held held = slots.take(slot);
    if (held != null) {
      tasks.counts.began(now - held.queuedAt());
      slot.running = Optional.of(held);
      slot.used = true;
      slot.n = ++commands;
      slot.enter(Phase.BUSY, now);
      add(new PoolEffect.Give(slot.process, slot.n, held.task()));
    }
  }

  private void settle(long now) {
    boolean nothing = slots.waiting() == 0;
    boolean over = status == PoolStatus.FAILED || (closing.isPresent() && nothing);
    for (Slot slot : slots) {
      if (slot.phase == Phase.IDLE && (over || (nothing && crew.surplus(slot, now)))) {
        crew.stop(slot, now);
      }
    }
    if (status == PoolStatus.CLOSING && nothing && slots.empty()) {
      status = PoolStatus.CLOSED;
      reason = "it was closed";
      note("closed");
    }
    while (wanted() && crew.start(now)) {
      // One more is under way.
    }
  }

  /** Whether there should be one more: for those that wait, or to have as many as always. */
  private boolean wanted() {
    if (!status.takes() && status != PoolStatus.CLOSING) {
      return false;
    }
    int starting = slots.starting();
    if (slots.waiting() > starting && tasks.counts.undelivered() < settings.output()) {
      return true;
    }
    int yielded = slots.count(slot -> slot.yielded && slot.phase != Phase.IDLE);
    return closing.isEmpty() && slots.up() + starting + yielded < settings.min();
  }

  /** Whether it holds devices for workers that have nothing to do. */
  public boolean warm() {
    return slots.count(slot -> slot.phase == Phase.IDLE) > 0;
  }

  /** Whether a worker is at work, or about to be. */
  public boolean busy(int process) {
    return slots.of(process).map(slot -> slot.phase != Phase.IDLE).orElse(false);
  }

  /** Whether no process of it is left. */
  public boolean empty() {
    return slots.empty();
  }

  public PoolReport report() {
    return PoolReport.of(settings.name(), status, reason, session, capacity(), slots, tasks.counts);
  }
}
