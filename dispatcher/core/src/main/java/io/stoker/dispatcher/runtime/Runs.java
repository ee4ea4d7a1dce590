package io.stoker.dispatcher.runtime;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The runs of coalescing tasks that are under way in this process. One that takes very long waits
 * for something that is not heard of: for as long as that lasts this replica does not do its work,
 * and says so.
 */
public final class Runs {
  private static final Set<Run> UNDER_WAY = ConcurrentHashMap.newKeySet();

  private Runs() {}

  static Run begin(String task) {
    Run run = new Run(task);
    UNDER_WAY.add(run);
    return run;
  }

  /** Sentences about runs that have taken longer than that, the longest first. */
  public static List<String> longerThan(Duration limit) {
    long now = System.nanoTime();
    return UNDER_WAY.stream()
        .filter(run -> now - run.startedAt > limit.toNanos())
        .sorted(Comparator.comparingLong(run -> run.startedAt - now))
        .map(
            run ->
                "%s has run for %d s"
                    .formatted(run.task, Duration.ofNanos(now - run.startedAt).toSeconds()))
        .toList();
  }

  /** One of them. */
  static final class Run {
    private final String task;
    private final long startedAt = System.nanoTime();

    private Run(String task) {
      this.task = task;
    }

    void end() {
      UNDER_WAY.remove(this);
    }
  }
}
