package io.stoker.agent.runner;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.RunKey;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Removes what ended runs leave on disk, when nobody needs it any more and the broker has all that
 * they wrote. Its work is done on the runner's thread.
 */
final class EndedRuns {
  private static final Logger LOG = Logger.getLogger(EndedRuns.class);

  /** Between two tries to end what does not end. */
  private static final long AGAIN_MS = 5_000;

  private final RunThread thread;
  private final RunFolders folders;
  private final RunOutputs outputs;
  private final ActiveRuns runs;
  private final boolean keep;
  private final Consumer<Input> inputs;
  private final byte[] buffer = new byte[64 * 1024];

  /**
   * @param keep whether what they left is put aside, and not deleted
   */
  EndedRuns(
      RunThread thread,
      RunFolders folders,
      RunOutputs outputs,
      ActiveRuns runs,
      boolean keep,
      Consumer<Input> inputs) {
    this.thread = thread;
    this.folders = folders;
    this.outputs = outputs;
    this.runs = runs;
    this.keep = keep;
    this.inputs = inputs;
  }

  /** Sends what one has written, as far as the broker may not have it, and says so. */
  void retell(AttemptKey key, String request) {
    thread.run(
        () -> {
          RunThread.Step told = () -> inputs.accept(new Input.Retold(key));
          try {
            outputs.again(key, request, thread, buffer, told);
          } catch (IOException | RuntimeException e) {
            told.run();
            throw e;
          }
        });
  }

  /** Deletes what one has left, once the broker has what it wrote. */
  void remove(RunKey key) {
    thread.run(
        () -> {
          Optional<String> owed = outputs.awaitTaken(key, () -> deleteLater(key));
          if (owed.isPresent()) {
            // For the next agent: its journal will not know of the run.
            folders.owe(key, owed.get());
          } else {
            delete(key);
          }
        });
  }

  /**
   * Clears away what an earlier agent left of runs which are none of these.
   *
   * @param elsewhere runs that others end: of these the folders stay, too
   * @return completes when no process of those others is left
   */
  CompletableFuture<Void> clear(
      Leftovers leftovers, Set<AttemptKey> known, Set<AttemptKey> elsewhere) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    Set<String> names = names(known);
    Set<String> folders = new HashSet<>(names);
    folders.addAll(names(elsewhere));
    thread.run(() -> end(leftovers, names, folders, done));
    return done;
  }

  private static Set<String> names(Set<AttemptKey> keys) {
    return keys.stream().map(AttemptKey::toString).collect(Collectors.toSet());
  }

  private void end(
      Leftovers leftovers, Set<String> names, Set<String> folders, CompletableFuture<Void> done)
      throws IOException {
    Leftovers.Left left;
    List<Leftovers.Owing> owing = List.of();
    try {
      left = leftovers.end(names);
      if (left.none() && leftovers.anyFolder(folders)) {
        owing = leftovers.clear(folders);
        // Without its folder no run can begin: an earlier agent's spawner may have had its order.
        left = leftovers.end(names);
      }
    } catch (IOException | RuntimeException e) {
      done.completeExceptionally(e);
      throw e;
    }
    if (!left.none()) {
      LOG.warnf(
          "processes %s of an earlier agent do not end%s: this host offers itself when they have",
          left.pids(), left.certain() ? "" : ", and others come and go too fast to see all");
      thread.later(AGAIN_MS, () -> end(leftovers, names, folders, done));
      return;
    }
    done.complete(null);
    for (Leftovers.Owing run : owing) {
      RunThread.Step then = () -> deleteOnceTaken(run.key());
      thread.run(() -> outputs.again(run.key(), run.request(), thread, buffer, then));
    }
  }

  private void deleteOnceTaken(AttemptKey key) throws IOException {
    if (outputs.awaitTaken(key, () -> deleteLater(key)).isEmpty()) {
      delete(key);
    }
  }

  private void deleteLater(RunKey key) {
    thread.run(() -> delete(key));
  }

  private void delete(RunKey key) throws IOException {
    boolean emptied = runs.takeClean(key);
    if (keep) {
      folders.putAside(key);
    } else if (emptied) {
      folders.recycle(key);
    } else {
      folders.remove(key);
    }
  }
}
