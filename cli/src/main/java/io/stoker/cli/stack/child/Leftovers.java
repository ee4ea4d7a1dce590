package io.stoker.cli.stack.child;

import io.stoker.cli.local.RunningStack;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Children of an earlier {@code up} that was killed: their guards are ending them. */
public final class Leftovers {
  private Leftovers() {}

  /** Waits for them to end, and kills those that have not after {@code grace}. */
  public static void clear(RunningStack earlier, Duration grace) {
    List<ProcessHandle> alive =
        earlier.children().stream().flatMap(child -> child.process().find().stream()).toList();
    long deadline = System.nanoTime() + grace.toNanos();
    for (ProcessHandle process : alive) {
      if (!ends(process, deadline - System.nanoTime())) {
        process.destroyForcibly();
        ends(process, TimeUnit.SECONDS.toNanos(10));
      }
    }
  }

  private static boolean ends(ProcessHandle process, long nanos) {
    try {
      process.onExit().get(Math.max(nanos, 0), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("waiting for process " + process.pid(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
