package io.stoker.agent.spawn;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the state files of runs. On a full disk the agent's reserve makes room; what cannot be
 * written all the same is kept, and tried again until it can: the agent has been told, and the next
 * one reads it.
 */
final class StateNotes {
  private static final long AGAIN_MS = 1_000;

  private final Path data;
  private final Map<StateFile, List<String>> owed = new IdentityHashMap<>();

  /**
   * @param data the agent's data folder
   */
  StateNotes(Path data) {
    this.data = data;
  }

  /**
   * Writes a line, now or as soon as that is possible; lines of one file in order.
   *
   * @return whether it is written
   */
  synchronized boolean line(StateFile state, String text) {
    if (owed.containsKey(state)) {
      owed.get(state).add(text);
      return false;
    }
    if (written(state, text)) {
      return true;
    }
    Reserve.releaseOf(data);
    if (written(state, text)) {
      return true;
    }
    owe(state, text);
    return false;
  }

  private void owe(StateFile state, String text) {
    boolean first = owed.isEmpty();
    owed.computeIfAbsent(state, one -> new ArrayList<>()).add(text);
    if (first) {
      Thread.ofPlatform().daemon().name("state-files").start(this::tryAgain);
    }
  }

  private static boolean written(StateFile state, String text) {
    try {
      state.line(text);
      return true;
    } catch (NoSuchFileException e) {
      return true; // nobody will read it any more
    } catch (IOException e) {
      return false;
    }
  }

  private synchronized void tryAgain() {
    try {
      while (!owed.isEmpty()) {
        wait(AGAIN_MS);
        for (StateFile state : List.copyOf(owed.keySet())) {
          List<String> lines = owed.get(state);
          while (!lines.isEmpty() && written(state, lines.getFirst())) {
            lines.removeFirst();
          }
          if (lines.isEmpty()) {
            owed.remove(state);
          }
        }
      }
      notifyAll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until nothing is owed, but not for ever. */
  synchronized void await(long atMostMs) throws InterruptedException {
    long until = System.nanoTime() + atMostMs * 1_000_000;
    while (!owed.isEmpty() && System.nanoTime() < until) {
      wait(AGAIN_MS);
    }
  }
}
