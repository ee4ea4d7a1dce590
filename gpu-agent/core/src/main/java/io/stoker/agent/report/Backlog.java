package io.stoker.agent.report;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.message.AttemptEvent.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Events that the broker does not have yet, in order. However long it is away, they do not become
 * more than this for each attempt: its acceptance and start, or its end, which says all that they
 * would; its newest progress, and its newest warning. Besides, intermediate results wait, the
 * newest {@value #MOST_RESULTS} bytes of all attempts together; an end has the last of its own.
 *
 * <p>Not for two threads at once.
 */
final class Backlog {
  static final int MOST_RESULTS = 16 * 1024 * 1024;

  private static final int MOST_EVENTS = 200;
  private static final int MOST_BYTES = 512 * 1024;

  private final LinkedHashSet<Unsent> waiting = new LinkedHashSet<>();
  private final Map<AttemptKey, List<Unsent>> steps = new HashMap<>();
  private final Map<Subject, Unsent> progress = new HashMap<>();
  private final LinkedHashSet<Unsent> results = new LinkedHashSet<>();
  private int resultBytes;

  /** What a progress event is about: how far the job is, or what is wrong with it. */
  private record Subject(AttemptKey key, boolean warning) {
    static Subject of(Unsent unsent) {
      return new Subject(unsent.key(), unsent.event().message() != null);
    }
  }

  int size() {
    return waiting.size();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Adds a newer event than all that wait. */
  void add(Unsent unsent) {
    waiting.addLast(unsent);
    if (unsent.isStep()) {
      steps.computeIfAbsent(unsent.key(), key -> new ArrayList<>(2)).add(unsent);
    } else if (unsent.is(Type.ENDED)) {
      List<Unsent> before = steps.remove(unsent.key());
      if (before != null) {
        before.forEach(waiting::remove);
      }
    } else if (unsent.is(Type.PROGRESS)) {
      Unsent before = progress.put(Subject.of(unsent), unsent);
      if (before != null) {
        waiting.remove(before);
      }
    } else if (unsent.is(Type.RESULT)) {
      results.addLast(unsent);
      resultBytes += unsent.bytes();
      dropResults();
    }
  }

  /** Takes back what was taken and could not be sent: it is older than all that wait. */
  void again(List<Unsent> batch) {
    for (Unsent unsent : batch.reversed()) {
      boolean old = unsent.is(Type.PROGRESS) && progress.containsKey(Subject.of(unsent));
      if (old) {
        continue;
      }
      waiting.addFirst(unsent);
      if (unsent.is(Type.PROGRESS)) {
        progress.put(Subject.of(unsent), unsent);
      } else if (unsent.is(Type.RESULT)) {
        results.addFirst(unsent);
        resultBytes += unsent.bytes();
      }
    }
    dropResults();
  }

  private void dropResults() {
    while (resultBytes > MOST_RESULTS && results.size() > 1) {
      Unsent oldest = results.getFirst();
      waiting.remove(oldest);
      forget(oldest);
    }
  }

  /**
   * The oldest, and what else waits of its lane, as many as go into one record; none if there is
   * nothing.
   */
  List<Unsent> take() {
    return take(MOST_EVENTS);
  }

  /** The same, of at most so many events. */
  List<Unsent> take(int most) {
    List<Unsent> batch = new ArrayList<>();
    int bytes = 0;
    for (Unsent next : waiting) {
      if (next.partition() != waiting.getFirst().partition()) {
        continue;
      }
      bytes += next.bytes();
      if (bytes > MOST_BYTES && !batch.isEmpty()) {
        break;
      }
      batch.add(next);
      if (batch.size() == most) {
        break;
      }
    }
    batch.forEach(
        taken -> {
          waiting.remove(taken);
          forget(taken);
        });
    return batch;
  }

  private void forget(Unsent unsent) {
    if (unsent.isStep()) {
      steps.remove(unsent.key());
    } else if (unsent.is(Type.PROGRESS)) {
      progress.remove(Subject.of(unsent), unsent);
    } else if (results.remove(unsent)) {
      resultBytes -= unsent.bytes();
    }
  }
}
