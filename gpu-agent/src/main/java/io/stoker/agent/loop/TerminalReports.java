package io.stoker.agent.loop;

import io.stoker.agent.journal.FileJournal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Holds what may be told only once the journal is on the disk. One forced write serves all that
 * came while the last one was under way.
 */
final class TerminalReports implements AutoCloseable {
  private final FileJournal journal;
  private final Consumer<Throwable> fatal;
  private final Thread thread;
  private List<Runnable> waiting = new ArrayList<>();
  private boolean closed;

  TerminalReports(FileJournal journal, Consumer<Throwable> fatal) {
    this.journal = journal;
    this.fatal = fatal;
    this.thread = Thread.ofPlatform().daemon().name("journal-sync").start(this::work);
  }

  /** Does it once everything journaled so far would survive a power cut. */
  synchronized void afterSync(Runnable telling) {
    waiting.add(telling);
    notifyAll();
  }

  private void work() {
    try {
      while (true) {
        List<Runnable> batch = take();
        if (batch.isEmpty()) {
          return;
        }
        journal.sync();
        batch.forEach(Runnable::run);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      fatal.accept(e);
    }
  }

  private synchronized List<Runnable> take() throws InterruptedException {
    while (waiting.isEmpty() && !closed) {
      wait();
    }
    List<Runnable> batch = waiting;
    waiting = new ArrayList<>();
    return batch;
  }

  /** Tells what waits, then ends. */
  @Override
  public void close() throws InterruptedException {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.join();
  }
}
