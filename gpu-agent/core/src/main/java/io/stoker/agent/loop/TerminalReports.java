package io.stoker.agent.loop;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.report.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Holds what may be told only once the journal is on the disk. One forced write serves all that
 * came while the last one was under way, and under load all of {@value #SPACING_MS} ms, or {@value
 * #WIDE_MS} where there are many: then the disk, the records to Kafka and the dispatcher's
 * transactions each take more ends at once.
 */
final class TerminalReports {
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

  private final Journal journal;
  private final Listener listener;
  private final Timer timer;
  private final CompletableFuture<Void> over = new CompletableFuture<>();
  private List<Effect.Send> waiting = new ArrayList<>();
  private List<AttemptKey> awaited = new ArrayList<>();
  private boolean working;
  private boolean planned;
  private boolean closed;

  /** Until when a forced write is put off, by the timer. */
  private long notBefore;

  /** Who hears what is on the disk, and helps if it does not get there. */
  interface Listener {
    /** These ends are on the disk. */
    void forced(List<Effect.Send> ends);

    /** Of these attempts everything given before is on the disk and told. */
    void delivered(List<AttemptKey> keys);

    /**
     * Writes the journal anew: what the kernel could not write once it does not try again.
     *
     * @return whether it is on the disk then
     */
    CompletionStage<Boolean> rewrite();

    /** Why ends cannot be told; empty if they can. */
    void judged(Optional<String> trouble);

    /** Nothing can be told any more. */
    void failed(RuntimeException why);
  }

  private record Batch(List<Effect.Send> ends, List<AttemptKey> awaited) {}

  /**
   * @param timer on whose one thread the journal is forced to the disk
   */
  TerminalReports(Journal journal, Timer timer, Listener listener) {
    this.journal = journal;
    this.timer = timer;
    this.listener = listener;
    this.notBefore = timer.nowMs();
  }

  /** Tells an end once everything journaled so far would survive a power cut. */
  synchronized void afterSync(Effect.Send end) {
    waiting.add(end);
    plan();
  }

  /** Says so when everything given before is on disk and told. */
  synchronized void delivered(AttemptKey key) {
    awaited.add(key);
    plan();
  }

  private void plan() {
    if (working) {
      return; // it looks again when it is done
    }
    long pause = waiting.size() >= MOST || closed ? 0 : notBefore - timer.nowMs();
    if (pause <= 0) {
      working = true;
      timer.after(0, () -> guarded(this::work));
    } else if (!planned) {
      planned = true;
      timer.after(pause, () -> guarded(this::due));
    }
  }

  private void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      listener.failed(e);
    }
  }

  private void due() {
    synchronized (this) {
      planned = false;
      if (working || none()) {
        return;
      }
      working = true;
    }
    work();
  }

  private void work() {
    Batch batch = take();
    try {
      if (!batch.ends().isEmpty()) {
        journal.sync();
      }
    } catch (JournalException e) {
      listener.judged(Optional.of(e.getMessage()));
      rewrite(batch);
      return;
    }
    tell(batch);
  }

  private synchronized Batch take() {
    notBefore = timer.nowMs() + spacing(waiting.size());
    Batch batch = new Batch(waiting, awaited);
    waiting = new ArrayList<>();
    awaited = new ArrayList<>();
    return batch;
  }

  private static long spacing(int reports) {
    if (reports >= MANY) {
      return WIDE_MS;
    }
    return reports >= LOAD ? SPACING_MS : 0;
  }

  private void rewrite(Batch batch) {
    listener
        .rewrite()
        .thenAccept(
            done ->
                guarded(
                    () -> {
                      if (done) {
                        listener.judged(Optional.empty());
                        tell(batch);
                      } else if (isClosed()) {
                        over.complete(null);
                      } else {
                        timer.after(AGAIN_MS, () -> guarded(() -> rewrite(batch)));
                      }
                    }));
  }

  private void tell(Batch batch) {
    if (!batch.ends().isEmpty()) {
      listener.forced(batch.ends());
    }
    if (!batch.awaited().isEmpty()) {
      listener.delivered(batch.awaited());
    }
    synchronized (this) {
      working = false;
      if (!none()) {
        plan();
      } else if (closed) {
        over.complete(null);
      }
    }
  }

  private boolean none() {
    return waiting.isEmpty() && awaited.isEmpty();
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** Tells what waits, and nothing after it. Completes when that is told, or cannot be. */
  CompletableFuture<Void> close() {
    synchronized (this) {
      closed = true;
      if (!working) {
        plan();
      }
    }
    return over;
  }
}
