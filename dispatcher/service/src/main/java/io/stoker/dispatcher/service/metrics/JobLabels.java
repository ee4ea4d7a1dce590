package io.stoker.dispatcher.service.metrics;

import io.micrometer.core.instrument.Tags;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * By what metrics of jobs are told apart: queue and kind. Both are names that people choose, so the
 * pairs are bounded: the first {@value #MOST} that this replica meets have metrics of their own,
 * and all others share {@link #OTHER}.
 */
final class JobLabels {
  static final int MOST = 50;
  static final String OTHER = "other";

  /** Of a job whose kind is not known here, such as one that a pool's workers run. */
  static final String UNKNOWN = "";

  private static final Pair OTHERS = new Pair(OTHER, OTHER);
  private final Set<Pair> met = ConcurrentHashMap.newKeySet();

  /**
   * A queue and a kind.
   *
   * @param kind {@link #UNKNOWN} if it is not known
   */
  record Pair(String queue, String kind) {
    Tags tags() {
      return Tags.of("queue", queue, "kind", kind);
    }
  }

  /** The pair under which a job is counted. */
  Pair of(String queue, Optional<String> kind) {
    Pair pair = new Pair(queue, kind.orElse(UNKNOWN));
    if (met.contains(pair)) {
      return pair;
    }
    synchronized (met) {
      return met.size() < MOST && met.add(pair) ? pair : OTHERS;
    }
  }
}
