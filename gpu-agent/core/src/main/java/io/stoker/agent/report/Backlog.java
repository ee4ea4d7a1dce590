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
 * more than this for each attempt: its newest acceptance and its start, or its end, which says all
 * that they would; its newest progress, and its newest warning. Besides, intermediate results wait,
 * the newest {@value #MOST_RESULTS} bytes of all attempts together; an end has the last of its own.
 *
 * <p>Not for two threads at once.
 */
final class Backlog {
  static final int MOST_RESULTS = 16 * 1024 * 1024;

  private static final int MOST_EVENTS = 200;
  private static final int MOST_BYTES = 512 * 1024;

  private final LinkedHashSet<Unsent> waiting = new LinkedHashSet<>();

  /** Of those that wait, what makes an older one of its subject needless. */
  private final Map<Subject, Unsent> newest = new HashMap<>();

  private final LinkedHashSet<Unsent> results = new LinkedHashSet<>();
  private int resultBytes;

  /**
   * What an event is about.
   *
   * @param warning of progress: what is wrong with the job, rather than how far it is
   */
  private record Subject(AttemptKey key, Type type, boolean warning) {
    static Subject of(Unsent unsent) {
      boolean warning = unsent.is(Type.PROGRESS) && unsent.event().message() != null;
      return new Subject(unsent.key(), unsent.event().type(), warning);
    }
  }

  int size() {
    return waiting.size();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Adds a newer event than all that wait, or one that is said again. */
  void add(Unsent unsent) {
    switch (unsent.event().type()) {
      case ACCEPTED, RUNNING, PROGRESS -> {
        Unsent before = newest.get(Subject.of(unsent));
        if (before != null && before.event().seq() >= unsent.event().seq()) {
          return;
        }
        newest.put(Subject.of(unsent), unsent);
        waiting.remove(before);
      }
      case ENDED -> {
        waiting.remove(newest.remove(new Subject(unsent.key(), Type.ACCEPTED, false)));
        waiting.remove(newest.remove(new Subject(unsent.key(), Type.RUNNING, false)));
      }
      case RESULT -> {
        results.addLast(unsent);
        resultBytes += unsent.bytes();
      }
    }
    waiting.addLast(unsent);
    dropResults();
  }

  /** Takes back what was taken and could not be sent: it is older than all that wait. */
  void again(List<Unsent> batch) {
    for (Unsent unsent : batch.reversed()) {
      boolean old = newest.containsKey(Subject.of(unsent));
      if (old) {
        continue;
      }
      waiting.addFirst(unsent);
      if (unsent.is(Type.RESULT)) {
        results.addFirst(unsent);
        resultBytes += unsent.bytes();
      } else if (!unsent.is(Type.ENDED)) {
        newest.put(Subject.of(unsent), unsent);
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
    newest.remove(Subject.of(unsent), unsent);
    if (results.remove(unsent)) {
      resultBytes -= unsent.bytes();
    }
  }
}
