package io.stoker.common.life;

import java.lang.System.Logger.Level;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/**
 * Threads that a process lives by. What they know how to bear they bear themselves; with what gets
 * out of one of them (mostly an {@link Error}, such as one of memory) the process ends, with the
 * reason, to be started again: without the thread it would go on, call itself well, and be deaf.
 */
public final class Vital {
  private static final System.Logger LOG = System.getLogger(Vital.class.getName());

  private Vital() {}

  /** A daemon that is not started yet; it may end by itself, when it is asked to. */
  public static Thread thread(String name, Runnable work) {
    return Thread.ofPlatform().daemon().name(name).unstarted(() -> run(name, work));
  }

  private static void run(String name, Runnable work) {
    try {
      work.run();
    } catch (Throwable died) {
      died(name, died);
    }
  }

  /**
   * Daemons that do what is due. The process ends with a task that is to be taken again and again
   * and has failed; what another one fails for and is no {@link Error} is said in the log.
   */
  public static ScheduledThreadPoolExecutor clock(String name, int threads) {
    return new Clock(name, threads);
  }

  /**
   * Does something on a virtual thread. The process ends with an {@link Error}; what else it fails
   * for is said in the log.
   */
  public static void once(String name, Runnable work) {
    Thread.ofVirtual()
        .name(name)
        .start(
            () -> {
              try {
                work.run();
              } catch (RuntimeException e) {
                LOG.log(Level.WARNING, "a step of '" + name + "' failed", e);
              } catch (Error e) {
                died(name, e);
              }
            });
  }

  private static void died(String name, Throwable why) {
    ProcessEnd.because("its thread '" + name + "' has died of " + why, why);
  }

  /** An executor would keep what a task has thrown to itself, and never take it again. */
  private static final class Clock extends ScheduledThreadPoolExecutor {
    private final String name;

    private Clock(String name, int threads) {
      super(threads, task -> Thread.ofPlatform().daemon().name(name).unstarted(task));
      this.name = name;
    }

    @Override
    protected void afterExecute(Runnable task, Throwable thrown) {
      if (task instanceof RunnableScheduledFuture<?> done
          && done.state() == Future.State.FAILED
          && !isShutdown()) {
        failed(done.exceptionNow(), done.isPeriodic());
      }
    }

    private void failed(Throwable why, boolean neverAgain) {
      if (neverAgain || why instanceof Error) {
        died(name, why);
      } else {
        LOG.log(Level.WARNING, "a step of '" + name + "' failed", why);
      }
    }
  }
}
