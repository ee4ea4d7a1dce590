package io.stoker.agent.pool;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts tasks and their times: each leaves once, and is delivered once. The pool is idle exactly
 * when {@code processed == queued}.
 */
final class TaskCounts {
  private static final double WEIGHT = 1.0 / 32;

  long queued;
  long processed;
  long failed;
  long delivered;
  long crashes;
  private final Mean waited = new Mean();
  private final Mean ran = new Mean();
  private final Mean delivering = new Mean();

  /** When they left whose ends are not on disk, and told. */
  private final Map<Task, Long> undelivered = new HashMap<>();

  /**
   * @param memory of the agents before this: what they ended was delivered from their journal
   * @param begun tasks of theirs that are not over yet
   */
  TaskCounts(PoolMemory memory, int begun) {
    processed = memory.processed();
    failed = memory.failed();
    crashes = memory.crashes();
    delivered = processed;
    queued = processed + begun;
  }

  /** A mean in which what was long ago fades. */
  private static final class Mean {
    private Double value;

    void add(long ms) {
      value = value == null ? ms : value + WEIGHT * (ms - value);
    }

    Double rounded() {
      return value == null ? null : Math.round(value * 1_000) / 1_000.0;
    }
  }

  /** One came and went at once. */
  void passed(boolean asFailed) {
    queued++;
    processed++;
    delivered++;
    failed += asFailed ? 1 : 0;
  }

  void began(long waitedMs) {
    waited.add(waitedMs);
  }

  void ran(long ms) {
    ran.add(ms);
  }

  void left(Task task, TaskEnd end, long now) {
    processed++;
    failed += end.failed() ? 1 : 0;
    undelivered.put(task, now);
  }

  void delivered(List<Task> tasks, long now) {
    for (Task task : tasks) {
      Long since = undelivered.remove(task);
      if (since != null) {
        delivered++;
        delivering.add(now - since);
      }
    }
  }

  /** How many tasks such as the last ones are run within so long; 0 if that is not known. */
  int within(long ms) {
    return ran.value == null ? 0 : (int) Math.min(Answer.MOST_AHEAD, ms / Math.max(1, ran.value));
  }

  long undelivered() {
    return processed - delivered;
  }

  Double queueMs() {
    return waited.rounded();
  }

  Double runMs() {
    return ran.rounded();
  }

  Double deliveryMs() {
    return delivering.rounded();
  }
}
