package io.stoker.agent.loop;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.journal.FileJournal;
import io.stoker.agent.journal.JournalException;
import io.stoker.common.life.Vital;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Holds what may be told only once the journal is on the disk. One forced write serves all that
 * came while the last one was under way, and under load all of {@value #SPACING_MS} ms, or {@value
 * #WIDE_MS} where there are many: then the disk, the records to Kafka and the dispatcher's
 * transactions each take more ends at once.
 */
final class TerminalReports implements AutoCloseable {
  private static final long AGAIN_MS = 1_000;

  /** From one forced write to the next, under load, in ms. */
  private static final long SPACING_MS = 10;

  /** Reports of one forced write that are a load: fewer jobs wait for their report alone. */
  private static final int LOAD = 4;

  /** The same where reports are many. */
  private static final long WIDE_MS = 25;

  /** Reports of one forced write that are many. */
  private static final int MANY = 24;

  /** Reports that wait no longer. */
  private static final int MOST = 200;

  private final FileJournal journal;
  private final Disk disk;
  private final Consumer<Throwable> fatal;
  private final Thread thread;
  private final Consumer<List<AttemptKey>> delivered;
  private final Consumer<List<Effect.Send>> tell;
  private List<Effect.Send> waiting = new ArrayList<>();
  private List<AttemptKey> awaited = new ArrayList<>();
  private boolean closed;

  /** Until when a forced write is put off, by {@link System#nanoTime}; belongs to the thread. */
  private long nextNanos = System.nanoTime();

  /** What there is to do about a journal that cannot be forced to the disk. */
  interface Disk {
    /**
     * Writes the journal anew: what the kernel could not write once it does not try again.
     *
     * @return whether it is on the disk
     */
    boolean rewrite();

    /** Why ends cannot be told; empty if they can. */
    void judged(Optional<String> trouble);
  }

  /**
   * @param tell tells what is on disk
   * @param delivered told of what was awaited, when it is on disk and told
   */
  TerminalReports(
      FileJournal journal,
      Disk disk,
      Consumer<Throwable> fatal,
      Consumer<List<Effect.Send>> tell,
      Consumer<List<AttemptKey>> delivered) {
    this.disk = disk;
    this.tell = tell;
    this.delivered = delivered;
    this.journal = journal;
    this.fatal = fatal;
    this.thread = Vital.thread("journal-sync", this::work);
    thread.start();
  }

  /** Tells an end once everything journaled so far would survive a power cut. */
  synchronized void afterSync(Effect.Send end) {
    waiting.add(end);
    notifyAll();
  }

  /** Says so when everything given before is on disk and told. */
  synchronized void delivered(AttemptKey key) {
    awaited.add(key);
    notifyAll();
  }

  private record Batch(List<Effect.Send> ends, List<AttemptKey> awaited) {
    boolean empty() {
      return ends.isEmpty() && awaited.isEmpty();
    }
  }

  private void work() {
    try {
      while (true) {
        Batch batch = take();
        if (batch.empty()) {
          return;
        }
        if (!batch.ends().isEmpty()) {
          if (!forced()) {
            return;
          }
          tell.accept(batch.ends());
        }
        if (!batch.awaited().isEmpty()) {
          delivered.accept(batch.awaited());
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      fatal.accept(e);
    }
  }

  /** False if this was closed before it could be done. */
  private boolean forced() throws InterruptedException {
    try {
      journal.sync();
      return true;
    } catch (JournalException e) {
      disk.judged(Optional.of(e.getMessage()));
    }
    while (!disk.rewrite()) {
      synchronized (this) {
        if (closed) {
          return false;
        }
        wait(AGAIN_MS);
      }
    }
    disk.judged(Optional.empty());
    return true;
  }

  private synchronized Batch take() throws InterruptedException {
    while (waiting.isEmpty() && awaited.isEmpty() && !closed) {
      wait();
    }
    long left = leftMs();
    while (left > 0 && waiting.size() < MOST && !closed) {
      wait(left);
      left = leftMs();
    }
    nextNanos = System.nanoTime();
    if (waiting.size() >= LOAD) {
      nextNanos += TimeUnit.MILLISECONDS.toNanos(waiting.size() >= MANY ? WIDE_MS : SPACING_MS);
    }
    Batch batch = new Batch(waiting, awaited);
    waiting = new ArrayList<>();
    awaited = new ArrayList<>();
    return batch;
  }

  private long leftMs() {
    return TimeUnit.NANOSECONDS.toMillis(nextNanos - System.nanoTime());
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
