package io.stoker.cli.stack;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Does several slow things at once. */
final class SideBySide {
  private SideBySide() {}

  /**
   * Returns when all are done. The first failure, or an interrupt, interrupts the others, waits for
   * them and is thrown.
   */
  static void run(List<Callable<Void>> tasks) throws Exception {
    try (ExecutorService threads =
        Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      CompletionService<Void> done = new ExecutorCompletionService<>(threads);
      tasks.forEach(done::submit);
      try {
        for (int i = 0; i < tasks.size(); i++) {
          done.take().get();
        }
      } catch (ExecutionException | InterruptedException e) {
        threads.shutdownNow();
        throw e instanceof ExecutionException && e.getCause() instanceof Exception cause
            ? cause
            : e;
      }
    }
  }
}
