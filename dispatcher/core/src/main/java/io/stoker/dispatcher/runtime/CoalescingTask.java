package io.stoker.dispatcher.runtime;

import io.smallrye.mutiny.Uni;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Runs one piece of work at a time, whenever it is woken; being woken while it runs leads to
 * exactly one more run. So a flood of hints costs two runs, and no hint is lost.
 *
 * <p>A task may keep its runs apart: the first after a rest starts at once, and under load each has
 * more to do, which costs less than many small ones.
 */
public final class CoalescingTask {
  private final String name;
  private final Environment environment;
  private final Supplier<Uni<Boolean>> work;
  private final LongSupplier apartNanos;
  private final AtomicInteger wanted = new AtomicInteger();
  private volatile boolean stopped;
  private volatile long startedAt;
  private volatile boolean everStarted;

  /**
   * @param work says whether there is more to do at once
   */
  public CoalescingTask(String name, Environment environment, Supplier<Uni<Boolean>> work) {
    this(name, environment, work, () -> 0);
  }

  /**
   * @param work says whether there is more to do at once
   * @param apartNanos asked before each run: how long after the start of the last one, at least, it
   *     may start
   */
  public CoalescingTask(
      String name, Environment environment, Supplier<Uni<Boolean>> work, LongSupplier apartNanos) {
    this.name = name;
    this.environment = environment;
    this.work = work;
    this.apartNanos = apartNanos;
  }

  public void wake() {
    if (wanted.getAndIncrement() == 0) {
      run();
    }
  }

  /** No further runs; the one in progress ends by itself. */
  public void stop() {
    stopped = true;
  }

  private void run() {
    long wait = everStarted ? startedAt + apartNanos.getAsLong() - environment.nanos() : 0;
    if (wait > 0) {
      environment.timer().schedule(this::runNow, wait, TimeUnit.NANOSECONDS);
    } else {
      runNow();
    }
  }

  private void runNow() {
    if (stopped) {
      return;
    }
    startedAt = environment.nanos();
    everStarted = true;
    int seen = wanted.get();
    Runs.Run run = Runs.begin(name);
    Uni.createFrom()
        .deferred(work::get)
        .onTermination()
        .invoke(run::end)
        .subscribe()
        .with(
            more -> next(seen, more),
            error -> {
              environment.failed(name, error);
              next(seen, false);
            });
  }

  private void next(int seen, boolean more) {
    if (more || wanted.addAndGet(-seen) > 0) {
      run();
    }
  }
}
