package io.stoker.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Rationed;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.runtime.Trouble;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process of the simulation, from its start to its death: its time is the virtual one, and what
 * fails in it is shown in the story.
 */
final class SimEnvironment implements Environment, SetAsides.Sink {
  private final World world;
  private final Life life;
  private final ScheduledExecutorService timer = new Timer();

  SimEnvironment(World world, Life life) {
    this.world = world;
    this.life = life;
  }

  @Override
  public long now() {
    return world.databaseNow();
  }

  @Override
  public long nanos() {
    return TimeUnit.MILLISECONDS.toNanos(world.now());
  }

  /** A look takes no virtual time: where it is to take long, its clock goes on by itself. */
  @Override
  public Rationed rationed() {
    AtomicLong readings = new AtomicLong();
    if (world.has(Defect.NEVER_LOOK_AGAIN)) {
      // Two that take an hour, and from then on the time stands still.
      return new Rationed(() -> TimeUnit.HOURS.toNanos(Math.min(3, readings.getAndIncrement())));
    }
    return world.slowLooks
        ? new Rationed(
            () -> nanos() + TimeUnit.MILLISECONDS.toNanos(6 * readings.getAndIncrement()))
        : Environment.super.rationed();
  }

  @Override
  public ScheduledExecutorService timer() {
    return timer;
  }

  @Override
  public Fault fault(Throwable error) {
    if (world.has(Defect.TAKE_OUTAGES_FOR_DATA)) {
      return Fault.DATA;
    }
    boolean outage =
        error instanceof SimDatabase.Unavailable || world.has(Defect.TAKE_DATA_FOR_OUTAGES);
    return outage ? Fault.OUTAGE : Fault.ofOther(error);
  }

  @Override
  public <T> Uni<T> compute(Callable<T> work) {
    return Environment.atOnce(work);
  }

  @Override
  public void failed(String work, Throwable error) {
    boolean away = error instanceof SimDatabase.Unavailable || fault(error) == Fault.OUTAGE;
    if (away || Poison.isOf(error)) {
      world.note(life.name(), work + " failed: " + error);
    } else {
      world.broken(error);
    }
  }

  @Override
  public void tried(Trouble trouble) {
    world.note(life.name(), "fails for " + trouble);
  }

  @Override
  public void show(Trouble trouble) {}

  /** Puts what is due later on the timeline: it dies with its process. */
  private final class Timer extends AbstractExecutorService implements ScheduledExecutorService {
    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      Planned planned = new Planned();
      // What is due within less than a millisecond is due in the next one.
      long ms = (unit.toMicros(delay) + 999) / 1_000;
      world.timeline.after(
          ms,
          life,
          () -> {
            if (!planned.isCancelled()) {
              command.run();
            }
          });
      return planned;
    }

    @Override
    public void execute(Runnable command) {
      world.timeline.after(0, life, command);
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> callable, long delay, TimeUnit unit) {
      throw new UnsupportedOperationException("schedule of a callable");
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(
        Runnable command, long initialDelay, long period, TimeUnit unit) {
      throw new UnsupportedOperationException("scheduleAtFixedRate");
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(
        Runnable command, long initialDelay, long delay, TimeUnit unit) {
      throw new UnsupportedOperationException("scheduleWithFixedDelay");
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return life.over();
    }

    @Override
    public boolean isTerminated() {
      return life.over();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return life.over();
    }
  }

  private static final class Planned extends CompletableFuture<Object>
      implements ScheduledFuture<Object> {
    @Override
    public long getDelay(TimeUnit unit) {
      return 0;
    }

    @Override
    public int compareTo(Delayed other) {
      return 0;
    }
  }
}
