package io.stoker.agent.pool;

import io.stoker.agent.pool.Slot.Held;
import io.stoker.agent.pool.Slot.Phase;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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
  private final Slot[] slots;
  private final Counts counts = new Counts();
  private final Map<Task, Long> undelivered = new HashMap<>();
  private List<PoolEffect> effects = new ArrayList<>();
  private PoolStatus status;
  private Optional<Closing> closing = Optional.empty();
  private OptionalLong abortAt = OptionalLong.empty();
  private String reason;
  private int session = 1;
  private int processes;
  private long commands;
  private int next;

  /** Starts in a row that came to nothing. */
  private int failures;

  private int capacity;

  /** Since when no worker can be had, for tasks that wait for one. */
  private OptionalLong without = OptionalLong.empty();

  public Pool(PoolSettings settings) {
    this.settings = settings;
    slots = new Slot[settings.slots()];
    Arrays.setAll(slots, Slot::new);
    status = settings.min() > 0 ? PoolStatus.STARTING : PoolStatus.SERVING;
    capacity = computeCapacity();
  }

  public PoolSettings settings() {
    return settings;
  }

  /** What is to be done since it was asked last. */
  public List<PoolEffect> effects() {
    int now = computeCapacity();
    if (now != capacity) {
      capacity = now;
      effects.add(new PoolEffect.CapacityChanged());
    }
    List<PoolEffect> taken = effects;
    effects = new ArrayList<>();
    return taken;
  }

  /** Why a task would not be taken now, if so. */
  public Optional<String> full() {
    if (!status.takes()) {
      return Optional.of(
          "pool %s is %s%s"
              .formatted(settings.name(), status, reason == null ? "" : ": " + reason));
    }
    return choose().isPresent()
        ? Optional.empty()
        : Optional.of(
            "pool %s holds %d tasks already".formatted(settings.name(), computeCapacity()));
  }

  /** Takes a task, unless it is {@link #full}; never blocks. */
  public boolean offer(Task task, long now) {
    Optional<Slot> slot = status.takes() ? choose() : Optional.empty();
    if (slot.isEmpty()) {
      return false;
    }
    next = (slot.get().index + 1) % slots.length;
    Stream.of(slots).forEach(one -> one.yielded = false);
    slot.get().queue.add(new Held(task, now));
    counts.queued++;
    work(now);
    return true;
  }

  /**
   * Round robin that skips the full: first among those with nothing to do, last those without a
   * process.
   */
  private Optional<Slot> choose() {
    return round(slot -> slot.phase == Phase.IDLE && slot.queue.isEmpty())
        .or(() -> round(slot -> slot.up() && hasRoom(slot)))
        .or(() -> round(slot -> slot.starting() && hasRoom(slot)))
        .or(() -> round(this::hasRoom));
  }

  private boolean hasRoom(Slot slot) {
    return !slot.retired && slot.held() < settings.each();
  }

  private Optional<Slot> round(Predicate<Slot> which) {
    for (int i = 0; i < slots.length; i++) {
      Slot slot = slots[(next + i) % slots.length];
      if (which.test(slot)) {
        return Optional.of(slot);
      }
    }
    return Optional.empty();
  }

  /** A worker's devices were given and its process is being started. */
  public void granted(int process, long now) {
    slot(process)
        .filter(slot -> slot.phase == Phase.WANTED)
        .ifPresent(slot -> slot.enter(Phase.STARTING, now));
  }

  /** A worker cannot be had now, through no fault of its own. */
  public void refused(int process, String why, long now) {
    slot(process)
        .filter(Slot::starting)
        .ifPresent(
            slot -> {
              empty(slot, now);
              slot.notBefore = now + PAUSE;
              if (without.isEmpty() && up() == 0) {
                without = OptionalLong.of(now);
                note("no worker can be had: %s", why);
              }
            });
    settle(now);
  }

  /** A worker is ready for work. */
  public void ready(int process, long now) {
    slot(process)
        .filter(slot -> slot.phase == Phase.STARTING)
        .ifPresent(
            slot -> {
              slot.failures = 0;
              failures = 0;
              slot.enter(Phase.IDLE, now);
              without = OptionalLong.empty();
              if (status == PoolStatus.STARTING && up() >= settings.min()) {
                status = PoolStatus.SERVING;
                note("all %d workers are up", settings.min());
              }
            });
    work(now);
  }

  /** The task that a worker runs under this number; empty if it runs none, or another. */
  public Optional<Task> running(int process, long n) {
    return slot(process)
        .filter(slot -> slot.phase == Phase.BUSY && slot.n == n)
        .flatMap(slot -> slot.running)
        .map(Held::task);
  }

  /** A worker has answered; what it says of anything but the task that it runs is left out. */
  public void answered(int process, long n, Answer answer, long now) {
    Optional<Slot> busy = slot(process).filter(slot -> slot.phase == Phase.BUSY && slot.n == n);
    if (busy.isEmpty() || answer instanceof Answer.Progress) {
      return;
    }
    Slot slot = busy.get();
    Held held = slot.running.orElseThrow();
    slot.running = Optional.empty();
    counts.ran(now - slot.since);
    slot.enter(Phase.IDLE, now);
    left(held, new TaskEnd.Answered(answer), now);
    work(now);
  }

  /** A worker's process is gone, with all that it started. */
  public void gone(int process, String how, long now) {
    slot(process).ifPresent(slot -> gone(slot, how, now));
    work(now);
  }

  private void gone(Slot slot, String how, long now) {
    boolean asked = slot.phase == Phase.STOPPING || slot.phase == Phase.KILLING;
    boolean neverReady = slot.phase == Phase.STARTING || slot.phase == Phase.WANTED;
    Optional<Held> lost = slot.running;
    Optional<TaskEnd> doom = slot.doom;
    empty(slot, now);
    lost.ifPresent(held -> left(held, doom.orElseGet(() -> new TaskEnd.Crashed(how)), now));
    if (neverReady) {
      slot.failures++;
      failures++;
      slot.notBefore = now + (PAUSE << Math.min(6, slot.failures));
      note("worker %d did not get ready: %s", slot.index, how);
    } else if (!asked) {
      counts.crashes++;
      note("worker %d has ended: %s", slot.index, how);
    }
    if (!settings.restart() && (!asked || slot.retired)) {
      slot.retired = true;
    }
    if (failures >= MOST_FAILURES || slot.retired) {
      giveUp(slot, how, now);
    }
  }

  /** Its tasks go to the others as far as they have room; the last one takes the pool with it. */
  private void giveUp(Slot slot, String how, long now) {
    boolean none = Stream.of(slots).allMatch(other -> other.retired);
    if (up() == 0 && (none || failures >= MOST_FAILURES)) {
      status = closing.isPresent() ? status : PoolStatus.FAILED;
      reason = "none of its workers can be had; the last one: " + how;
      note("%s", reason);
      clear(new TaskEnd.Returned("pool " + settings.name() + " has failed: " + reason), now);
    } else if (slot.retired) {
      List<Held> orphans = List.copyOf(slot.queue);
      slot.queue.clear();
      for (Held held : orphans) {
        Optional<Slot> other = round(this::hasRoom);
        if (other.isPresent()) {
          other.get().queue.add(held);
        } else {
          left(held, new TaskEnd.Returned("its worker is gone and is not replaced"), now);
        }
      }
    }
  }

  /** Takes a task out; one that runs leaves when its worker is gone. */
  public void remove(Task task, long now) {
    for (Slot slot : slots) {
      Optional<Held> queued = slot.remove(task);
      if (queued.isPresent()) {
        left(queued.get(), new TaskEnd.Removed(), now);
      } else if (slot.running.map(held -> held.task().equals(task)).orElse(false)) {
        kill(slot, new TaskEnd.Removed(), now);
      }
    }
    settle(now);
  }

  /** The ends of tasks are on disk, and told. */
  public void delivered(List<Task> tasks, long now) {
    for (Task task : tasks) {
      Long since = undelivered.remove(task);
      if (since != null) {
        counts.delivered(now - since);
      }
    }
    work(now);
  }

  /** Begins a session: nothing of what the pool has goes on, and it serves. */
  public void reset(long now) {
    session++;
    failures = 0;
    note("reset: session %d", session);
    for (Slot slot : slots) {
      slot.retired = false;
      slot.failures = 0;
      slot.notBefore = 0;
      if (slot.phase == Phase.BUSY) {
        kill(slot, new TaskEnd.Reset(), now);
      }
    }
    clear(new TaskEnd.Reset(), now);
    if (status == PoolStatus.FAILED) {
      serve();
    }
    work(now);
  }

  /** Closes it, or closes it harder; softer than before changes nothing. */
  public void close(Closing how, long now) {
    if (status == PoolStatus.CLOSED || closing.map(so -> so.compareTo(how) >= 0).orElse(false)) {
      return;
    }
    note("closing: %s", how);
    closing = Optional.of(how);
    status = PoolStatus.CLOSING;
    reason = "it is being closed";
    TaskEnd back = new TaskEnd.Returned("pool " + settings.name() + " was closed");
    if (how != Closing.DRAIN) {
      clear(back, now);
    }
    if (how == Closing.ABORT) {
      Stream.of(slots)
          .filter(slot -> slot.phase == Phase.BUSY)
          .forEach(slot -> kill(slot, back, now));
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
    if (status.takes()) {
      return;
    }
    closing = Optional.empty();
    failures = 0;
    for (Slot slot : slots) {
      slot.retired = false;
      slot.failures = 0;
      slot.notBefore = 0;
      slot.yielded = false;
    }
    serve();
    work(now);
  }

  private void serve() {
    reason = null;
    status = up() >= settings.min() ? PoolStatus.SERVING : PoolStatus.STARTING;
    note("open");
  }

  /** Gives up what workers hold that have nothing to do, until there is work. */
  public void yield(long now) {
    for (Slot slot : slots) {
      if (slot.phase == Phase.IDLE) {
        slot.yielded = true;
        stop(slot, now);
      }
    }
  }

  /** No process may be left: whatever still runs is taken out by its own {@link #remove}. */
  public void lapse(long now) {
    for (Slot slot : slots) {
      if (slot.phase != Phase.EMPTY && slot.phase != Phase.KILLING) {
        kill(slot, new TaskEnd.Returned("its host has lost its lease"), now);
      }
    }
  }

  /** Time has passed. */
  public void tick(long now) {
    if (abortAt.isPresent() && now >= abortAt.getAsLong()) {
      abortAt = OptionalLong.empty();
      close(Closing.ABORT, now);
    }
    List<String> missing = new ArrayList<>();
    for (Slot slot : slots) {
      if (slot.phase == Phase.STARTING && now - slot.since >= settings.start()) {
        missing.add(Integer.toString(slot.index));
        effects.add(new PoolEffect.Kill(slot.process));
        slot.since = now; // it stays a start that has failed until it is gone
      } else if (slot.phase == Phase.STOPPING && now - slot.since >= settings.close()) {
        slot.enter(Phase.KILLING, now);
        effects.add(new PoolEffect.Kill(slot.process));
      }
    }
    if (!missing.isEmpty()) {
      note("not up within %d ms: workers %s", settings.start(), String.join(", ", missing));
    }
    if (without.isPresent() && now - without.getAsLong() >= settings.start()) {
      without = OptionalLong.empty();
      clear(new TaskEnd.Returned("pool " + settings.name() + " can have no worker now"), now);
    }
    work(now);
  }

  /** When {@link #tick} is due; empty if nothing is. */
  public OptionalLong nextTick() {
    LongStream of = Stream.of(slots).flatMapToLong(slot -> nextTick(slot).stream());
    LongStream own =
        LongStream.concat(
            abortAt.stream(),
            without.isPresent()
                ? LongStream.of(without.getAsLong() + settings.start())
                : LongStream.empty());
    return LongStream.concat(of, status == PoolStatus.CLOSED ? LongStream.empty() : own).min();
  }

  private OptionalLong nextTick(Slot slot) {
    return switch (slot.phase) {
      case STARTING -> OptionalLong.of(slot.since + settings.start());
      case STOPPING -> OptionalLong.of(slot.since + settings.close());
      case IDLE ->
          up() > settings.min() && status.takes() && waiting() == 0
              ? OptionalLong.of(slot.since + settings.idle())
              : OptionalLong.empty();
      case EMPTY ->
          slot.notBefore > 0 && wanted() ? OptionalLong.of(slot.notBefore) : OptionalLong.empty();
      default -> OptionalLong.empty();
    };
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
      stop(slot, now);
      return;
    }
    long busy = Stream.of(slots).filter(one -> one.phase == Phase.BUSY).count();
    if (busy + counts.undelivered() >= settings.output()) {
      return;
    }
    Held held = slot.queue.poll();
    if (held == null) {
      held = steal();
    }
    if (held == null) {
      return;
    }
    counts.began(now - held.queuedAt());
    slot.running = Optional.of(held);
    slot.used = true;
    slot.n = ++commands;
    slot.enter(Phase.BUSY, now);
    effects.add(new PoolEffect.Give(slot.process, slot.n, held.task()));
  }

  /** Of those who wait for a worker that is at work, or not there, the one that waits longest. */
  private Held steal() {
    return Stream.of(slots)
        .filter(other -> !other.queue.isEmpty())
        .min((a, b) -> Long.compare(a.queue.peek().queuedAt(), b.queue.peek().queuedAt()))
        .map(other -> other.queue.poll())
        .orElse(null);
  }

  private void settle(long now) {
    boolean empty = waiting() == 0;
    for (Slot slot : slots) {
      if (slot.phase == Phase.IDLE
          && ((closing.isPresent() && empty)
              || status == PoolStatus.FAILED
              || (up() > settings.min() && empty && now - slot.since >= settings.idle()))) {
        stop(slot, now);
      }
    }
    if (closing.isPresent()
        && empty
        && Stream.of(slots).allMatch(slot -> slot.phase == Phase.EMPTY)) {
      if (status == PoolStatus.CLOSING) {
        status = PoolStatus.CLOSED;
        reason = "it was closed";
        note("closed");
      }
      return;
    }
    while (wanted()) {
      Optional<Slot> slot =
          round(one -> one.phase == Phase.EMPTY && !one.retired && one.notBefore <= now);
      if (slot.isEmpty()) {
        return;
      }
      slot.get().process = ++processes;
      slot.get().yielded = false;
      slot.get().used = false;
      slot.get().enter(Phase.WANTED, now);
      effects.add(new PoolEffect.Start(slot.get().index, slot.get().process));
    }
  }

  /** Whether there should be one more: for those that wait, or to have as many as always. */
  private boolean wanted() {
    long starting = Stream.of(slots).filter(Slot::starting).count();
    boolean serves = status.takes() || (closing.isPresent() && status == PoolStatus.CLOSING);
    if (!serves) {
      return false;
    }
    boolean stuck = counts.undelivered() >= settings.output();
    if (waiting() > starting && !stuck) {
      return true;
    }
    long yielded =
        Stream.of(slots).filter(slot -> slot.yielded && slot.phase != Phase.IDLE).count();
    return closing.isEmpty() && up() + starting + yielded < settings.min();
  }

  private void stop(Slot slot, long now) {
    slot.enter(Phase.STOPPING, now);
    effects.add(new PoolEffect.Stop(slot.process));
  }

  private void kill(Slot slot, TaskEnd end, long now) {
    if (slot.phase != Phase.KILLING) {
      slot.enter(Phase.KILLING, now);
      slot.doom = Optional.of(end);
      effects.add(new PoolEffect.Kill(slot.process));
    }
  }

  private static void empty(Slot slot, long now) {
    slot.enter(Phase.EMPTY, now);
    slot.process = 0;
    slot.running = Optional.empty();
    slot.doom = Optional.empty();
  }

  /** All that wait leave. */
  private void clear(TaskEnd end, long now) {
    for (Slot slot : slots) {
      List<Held> all = List.copyOf(slot.queue);
      slot.queue.clear();
      all.forEach(held -> left(held, end, now));
    }
  }

  private void left(Held held, TaskEnd end, long now) {
    counts.left(end);
    undelivered.put(held.task(), now);
    effects.add(new PoolEffect.Left(held.task(), end));
  }

  private Optional<Slot> slot(int process) {
    return Stream.of(slots)
        .filter(slot -> slot.process == process && slot.phase != Phase.EMPTY)
        .findFirst();
  }

  private int up() {
    return (int) Stream.of(slots).filter(Slot::up).count();
  }

  private int waiting() {
    return Stream.of(slots).mapToInt(slot -> slot.queue.size()).sum();
  }

  private int computeCapacity() {
    return status.takes()
        ? settings.each() * (int) Stream.of(slots).filter(slot -> !slot.retired).count()
        : 0;
  }

  /** Whether it holds devices for workers that have nothing to do. */
  public boolean warm() {
    return Stream.of(slots).anyMatch(slot -> slot.phase == Phase.IDLE);
  }

  /** Whether a worker is at work, or about to be. */
  public boolean busy(int process) {
    return slot(process).map(slot -> slot.phase != Phase.IDLE).orElse(false);
  }

  /** Whether no process of it is left. */
  public boolean empty() {
    return Stream.of(slots).allMatch(slot -> slot.phase == Phase.EMPTY);
  }

  private void note(String sentence, Object... details) {
    effects.add(
        new PoolEffect.Note("pool " + settings.name() + ": " + sentence.formatted(details)));
  }

  public PoolReport report() {
    int busy = (int) Stream.of(slots).filter(slot -> slot.phase == Phase.BUSY).count();
    return new PoolReport(
        settings.name(),
        status,
        reason,
        session,
        computeCapacity(),
        up(),
        busy,
        waiting(),
        counts.queued,
        counts.processed,
        counts.failed,
        counts.delivered,
        counts.crashes,
        counts.queueMs(),
        counts.runMs(),
        counts.deliveryMs());
  }
}
