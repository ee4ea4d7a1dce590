package io.stoker.agent.pool;

/** Counts tasks and their times. The pool is idle exactly when {@code processed == queued}. */
final class Counts {
  private static final double WEIGHT = 1.0 / 32;

  long queued;
  long processed;
  long failed;
  long delivered;
  long crashes;
  private final Mean waited = new Mean();
  private final Mean ran = new Mean();
  private final Mean delivering = new Mean();

  /**
   * @param memory of the agents before this: what they ended was delivered from their journal
   * @param begun tasks of theirs that are not over yet
   */
  Counts(PoolMemory memory, int begun) {
    processed = memory.processed();
    failed = memory.failed();
    crashes = memory.crashes();
    delivered = processed;
    queued = processed + begun;
  }

  /** One came and went at once. */
  void passed(boolean asFailed) {
    queued++;
    processed++;
    delivered++;
    failed += asFailed ? 1 : 0;
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

  void began(long waitedMs) {
    waited.add(waitedMs);
  }

  void left(TaskEnd end) {
    processed++;
    if (end.failed()) {
      failed++;
    }
  }

  void ran(long ms) {
    ran.add(ms);
  }

  void delivered(long ms) {
    delivered++;
    delivering.add(ms);
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
