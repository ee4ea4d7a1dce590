package io.stoker.agent.runner;

import io.stoker.common.life.Vital;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** The one thread of a runner. A step that fails is said in the log, and the others go on. */
public final class RunThread implements AutoCloseable {
  private static final Logger LOG = Logger.getLogger(RunThread.class);

  private final ScheduledExecutorService thread;

  /** Something to be done on it. */
  public interface Step {
    void run() throws IOException;
  }

  public RunThread(String name) {
    thread = Vital.clock(name, 1);
  }

  /** Does it after what was handed over before. */
  public void run(Step step) {
    try {
      thread.execute(() -> attempt(step));
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: what comes now is the next agent's to find out", e);
    }
  }

  /** Does it after so many ms. */
  public void later(long ms, Step step) {
    try {
      thread.schedule(() -> attempt(step), ms, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("closed: what comes now is the next agent's to find out", e);
    }
  }

  /** Does it again and again, so many ms apart. */
  public ScheduledFuture<?> each(long ms, Step step) {
    return thread.scheduleWithFixedDelay(() -> attempt(step), ms, ms, TimeUnit.MILLISECONDS);
  }

  private static void attempt(Step step) {
    try {
      step.run();
    } catch (IOException | RuntimeException e) {
      LOG.error("the runner failed at a step", e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
