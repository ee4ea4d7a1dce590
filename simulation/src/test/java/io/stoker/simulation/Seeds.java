package io.stoker.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;

/** Runs many seeds on all cores, where nobody else needs them. */
final class Seeds {
  private static final int THREADS = Runtime.getRuntime().availableProcessors();

  private Seeds() {}

  /** What came of each seed, in no order. */
  static <T> List<T> all(long first, int count, LongFunction<T> run) {
    Queue<T> found = new ConcurrentLinkedQueue<>();
    AtomicLong next = new AtomicLong(first);
    onAllCores(
        () -> {
          for (long seed; (seed = next.getAndIncrement()) < first + count; ) {
            found.add(run.apply(seed));
          }
          return null;
        });
    return List.copyOf(found);
  }

  /** The first thing that was found, if any; then no further seed is begun. */
  static <T> Optional<T> any(long first, int count, LongFunction<Optional<T>> run) {
    Queue<T> found = new ConcurrentLinkedQueue<>();
    AtomicLong next = new AtomicLong(first);
    onAllCores(
        () -> {
          for (long seed; found.isEmpty() && (seed = next.getAndIncrement()) < first + count; ) {
            run.apply(seed).ifPresent(found::add);
          }
          return null;
        });
    return found.stream().findFirst();
  }

  /** The tests of the services run meanwhile, and have less patience. */
  private static Thread modest(Runnable work) {
    Thread thread = new Thread(work);
    thread.setPriority(Thread.MIN_PRIORITY);
    return thread;
  }

  private static void onAllCores(Callable<Void> work) {
    List<Future<Void>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(THREADS, Seeds::modest)) {
      for (int i = 0; i < THREADS; i++) {
        running.add(threads.submit(work));
      }
    }
    for (Future<Void> one : running) {
      try {
        one.get();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      } catch (ExecutionException e) {
        throw e.getCause() instanceof RuntimeException failure
            ? failure
            : new IllegalStateException(e.getCause());
      }
    }
  }
}
