package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.AttemptRow;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Estimates how many jobs each queue starts in a time, and so when another one will start. Known to
 * the replica that schedules, and to no other.
 */
public final class ThroughputEstimate {
  /** So far back starts are remembered. */
  static final long MEMORY_MS = 600_000;

  /** Fewer starts than this say nothing of the next one. */
  static final int FEWEST = 2;

  private static final long STEP_MS = 10_000;

  private final Map<String, Deque<Step>> byQueue = new HashMap<>();
  private long since = -1;

  private static final class Step {
    private final long at;
    private int starts;

    Step(long at) {
      this.at = at;
    }
  }

  /**
   * When a job will start if its queue goes on as it did.
   *
   * @param at ms since 1970
   * @param inMs from now on
   * @param sentence on what it is founded, for people
   */
  public record Expected(long at, long inMs, String sentence) {}

  /** Attempts were opened: their jobs were started. */
  public void started(List<AttemptRow> opened, long now) {
    opened.stream()
        .filter(attempt -> attempt.rank() == 0)
        .collect(Collectors.groupingBy(AttemptRow::queue, Collectors.summingInt(one -> 1)))
        .forEach((queue, jobs) -> started(queue, jobs, now));
  }

  /** Jobs of a queue were started. */
  public synchronized void started(String queue, int jobs, long now) {
    if (since < 0) {
      since = now;
    }
    long at = now - now % STEP_MS;
    Deque<Step> steps = byQueue.computeIfAbsent(queue, any -> new ArrayDeque<>());
    if (steps.isEmpty() || steps.getLast().at < at) {
      steps.add(new Step(at));
    }
    steps.getLast().starts += jobs;
    forget(steps, now);
  }

  /**
   * When a job will start.
   *
   * @param ahead jobs of its queue that go before it
   */
  public synchronized Optional<Expected> of(String queue, long ahead, long now) {
    Deque<Step> steps = byQueue.getOrDefault(queue, new ArrayDeque<>());
    forget(steps, now);
    int starts = steps.stream().mapToInt(step -> step.starts).sum();
    if (starts < FEWEST) {
      return Optional.empty();
    }
    long over = Math.max(STEP_MS, Math.min(MEMORY_MS, now - since));
    long in = Math.round((ahead + 1) * (double) over / starts);
    String sentence =
        "its queue has started %d jobs in the last %d s, and %d go before it"
            .formatted(starts, over / 1_000, ahead);
    return Optional.of(new Expected(now + in, in, sentence));
  }

  private static void forget(Deque<Step> steps, long now) {
    while (!steps.isEmpty() && steps.getFirst().at <= now - MEMORY_MS) {
      steps.remove();
    }
  }
}
