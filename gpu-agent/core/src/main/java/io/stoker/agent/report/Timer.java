package io.stoker.agent.report;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A clock, and a timer that runs something after a time. */
public interface Timer {
  /** The machine's own. */
  Timer SYSTEM =
      new Timer() {
        @Override
        public long nowMs() {
          return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        }

        @Override
        public void after(long ms, Runnable task) {
          CompletableFuture.delayedExecutor(ms, TimeUnit.MILLISECONDS).execute(task);
        }
      };

  /** Milliseconds since some moment: never less than before. */
  long nowMs();

  /** Runs a task in so many milliseconds, on a thread of its own choice. */
  void after(long ms, Runnable task);
}
