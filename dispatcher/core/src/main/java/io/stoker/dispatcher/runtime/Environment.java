package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.infrastructure.Infrastructure;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What a coordinator needs of the process that it runs in: clocks, a timer, and somebody who reads
 * the errors of drivers. A simulation has its own.
 */
public interface Environment {
  /** Ms since 1970, as the clock was when the process started, and however it is set since. */
  long now();

  /** A steady clock, ns; says nothing about the time of day. */
  long nanos();

  /** Runs what is to be done later. */
  ScheduledExecutorService timer();

  /** What an error says about the input that failed. */
  Fault fault(Throwable error);

  /** Some work failed that is tried again; the log of the process says so. */
  void failed(String work, Throwable error);

  /** The same after so long. */
  default Uni<Void> later(Duration delay) {
    return Uni.createFrom().voidItem().onItem().delayIt().onExecutor(timer()).by(delay);
  }

  /** Tries again for as long as it fails for no reason of its input's. */
  default <T> Uni<T> patiently(Supplier<Uni<? extends T>> work) {
    return Uni.createFrom()
        .deferred(work)
        .onFailure(error -> fault(error) != Fault.DATA)
        .retry()
        .withExecutor(timer())
        .withBackOff(Duration.ofMillis(100), Duration.ofSeconds(5))
        .withJitter(0)
        .indefinitely()
        .map(done -> done);
  }

  /**
   * A process of its own, with the machine's clocks.
   *
   * @param faults reads errors
   */
  static Environment ofProcess(Function<Throwable, Fault> faults) {
    System.Logger log = System.getLogger(Environment.class.getName());
    long startedAt = System.currentTimeMillis();
    long startedNanos = System.nanoTime();
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
        return Infrastructure.getDefaultWorkerPool();
      }

      @Override
      public Fault fault(Throwable error) {
        return faults.apply(error);
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
}
