package io.stoker.agent.host;

import io.stoker.agent.report.Timer;
import io.stoker.common.life.Vital;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs its tasks on one thread of its own, by which the process lives. */
final class ThreadTimer implements Timer, AutoCloseable {
  private final ScheduledThreadPoolExecutor thread;

  ThreadTimer(String name) {
    thread = Vital.clock(name, 1);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setRejectedExecutionHandler(new ScheduledThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  @Override
  public void after(long ms, Runnable task) {
    thread.schedule(task, ms, TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
