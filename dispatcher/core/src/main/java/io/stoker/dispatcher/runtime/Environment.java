package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import io.smallrye.mutiny.infrastructure.MutinyScheduler;
import io.smallrye.mutiny.unchecked.Unchecked;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The process that a coordinator runs in: clocks, a timer, and a reader of drivers' errors. A
 * simulation has its own.
 */
public interface Environment {
  /** Ms since 1970, as the clock was when the process started, and however it is set since. */
  long now();

  /** A steady clock, ns; says nothing about the time of day. */
  long nanos();

  /** The same clock, ms. */
  default long steadyMs() {
    return TimeUnit.NANOSECONDS.toMillis(nanos());
  }

  /** For a look at the store that is made again and again. */
  default Rationed rationed() {
    return new Rationed(this::nanos);
  }

  /** Runs what is to be done later. */
  ScheduledExecutorService timer();

  /** What an error says about the input that failed. */
  Fault fault(Throwable error);

  /**
   * Runs work that would keep others waiting for long; what follows goes on where it was asked for.
   */
  <T> Uni<T> compute(Callable<T> work);

  /** Some work failed that is tried again; the log of the process says so. */
  void failed(String work, Throwable error);

  /** Who runs what would keep others waiting for long. */
  interface Computing {
    <T> Uni<T> run(Callable<T> work);
  }

  /** Runs what is given to {@link #compute} where it is. */
  static <T> Uni<T> atOnce(Callable<T> work) {
    return Uni.createFrom().item(Unchecked.supplier(work::call));
  }

  /** Tries again for as long as it fails for no reason of its input's. */
  default <T> Uni<T> patiently(Supplier<Uni<? extends T>> work) {
    return again(Uni.createFrom().deferred(work), error -> fault(error) != Fault.DATA)
        .map(done -> done);
  }

  /** Tries again for as long as it fails in one of these ways, each time a little later. */
  default <T> Uni<T> again(Uni<T> work, Predicate<Throwable> ways) {
    return work.onFailure(ways)
        .retry()
        .withExecutor(timer())
        .withBackOff(Duration.ofMillis(100), Duration.ofSeconds(5))
        .withJitter(0)
        .indefinitely();
  }

  /**
   * A process of its own, with the machine's clocks.
   *
   * @param faults reads errors
   * @param computing runs what {@link #compute} is given
   */
  static Environment ofProcess(Function<Throwable, Fault> faults, Computing computing) {
    System.Logger log = System.getLogger(Environment.class.getName());
    long startedAt = System.currentTimeMillis();
    long startedNanos = System.nanoTime();
    ScheduledExecutorService timer = ownTimer();
    return new Environment() {
      @Override
      public long now() {
        return startedAt + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
      }

      @Override
      public long nanos() {
        return System.nanoTime();
      }

      @Override
      public ScheduledExecutorService timer() {
        return timer;
      }

      @Override
      public Fault fault(Throwable error) {
        return faults.apply(error);
      }

      @Override
      public <T> Uni<T> compute(Callable<T> work) {
        return computing.run(work);
      }

      @Override
      public void failed(String work, Throwable error) {
        String sentence = work + " failed and is tried again: " + Fault.sentence(error);
        if (faults.apply(error) == Fault.OUTAGE) {
          log.log(System.Logger.Level.WARNING, sentence);
        } else {
          log.log(System.Logger.Level.WARNING, sentence, error);
        }
      }
    };
  }

  /**
   * A timer that runs work by the process's executor. The process's own scheduler will not do: in
   * Quarkus it may be one of Vert.x's timers, which refuse to run anything within less than 1 ms.
   */
  private static ScheduledExecutorService ownTimer() {
    MutinyScheduler timer = new MutinyScheduler(Environment::execute);
    timer.setThreadFactory(Thread.ofPlatform().daemon().name("timer").factory());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  private static void execute(Runnable work) {
    try {
      Infrastructure.getDefaultExecutor().execute(work);
    } catch (RejectedExecutionException e) {
      // The process stops, and nobody waits for it any more.
    }
  }
}
