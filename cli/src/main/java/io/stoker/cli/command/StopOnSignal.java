package io.stoker.cli.command;

import io.stoker.cli.outcome.ExitCode;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Turns Ctrl-C, SIGTERM and SIGHUP into an interrupt of the thread that runs the stack, gives it
 * time to stop all children in order, and ends this process with exit code 0: being told to stop is
 * no failure.
 */
final class StopOnSignal {
  /** Longer than the graces of all children in a row. */
  private static final long PATIENCE_SECONDS = 120;

  private final Thread hook;

  private StopOnSignal(Thread hook) {
    this.hook = hook;
  }

  /**
   * @param stopped is counted down once nothing is left to stop
   */
  static StopOnSignal install(Thread worker, CountDownLatch stopped) {
    Thread hook = new Thread(() -> stop(worker, stopped), "stop-on-signal");
    Runtime.getRuntime().addShutdownHook(hook);
    return new StopOnSignal(hook);
  }

  /** Returns when the signal has come. */
  void await() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      // That is the signal.
    }
  }

  /** From now on this process ends in its own way. */
  void remove() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException endingAlready) {
      // Then the hook runs, and finds that there is nothing to stop.
    }
  }

  private static void stop(Thread worker, CountDownLatch stopped) {
    worker.interrupt();
    try {
      boolean clean = stopped.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
      Runtime.getRuntime().halt(clean ? ExitCode.DONE : ExitCode.FAILED);
    } catch (InterruptedException e) {
      Runtime.getRuntime().halt(ExitCode.FAILED);
    }
  }
}
