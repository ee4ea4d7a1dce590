package io.stoker.dispatcher.config;

import io.smallrye.mutiny.Uni;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Runs one piece of work at a time, whenever it is woken; being woken while it runs leads to
 * exactly one more run. So a flood of hints costs two runs, and no hint is lost.
 */
public final class Pump {
  private static final Logger LOG = Logger.getLogger(Pump.class);

  private final String name;
  private final Supplier<Uni<Boolean>> work;
  private final AtomicInteger wanted = new AtomicInteger();
  private volatile boolean stopped;

  /**
   * @param work says whether there is more to do at once
   */
  public Pump(String name, Supplier<Uni<Boolean>> work) {
    this.name = name;
    this.work = work;
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
    if (stopped) {
      return;
    }
    int seen = wanted.get();
    Uni.createFrom()
        .deferred(work::get)
        .subscribe()
        .with(
            more -> next(seen, more),
            error -> {
              LOG.warnf(error, "%s failed; the next wake-up tries again", name);
              next(seen, false);
            });
  }

  private void next(int seen, boolean more) {
    if (more || wanted.addAndGet(-seen) > 0) {
      run();
    }
  }
}
