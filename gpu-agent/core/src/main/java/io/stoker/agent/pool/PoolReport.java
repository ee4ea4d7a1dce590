package io.stoker.agent.pool;

/**
 * The state of a pool at one moment; counts since the agent's journal began.
 *
 * @param reason why it is not serving, null if it is
 * @param capacity tasks that it holds at most, as it is
 * @param workers processes that are up
 * @param busy of them, those at work
 * @param waiting tasks that wait for a worker
 */
public record PoolReport(
    String name,
    PoolStatus status,
    String reason,
    int session,
    int capacity,
    int workers,
    int busy,
    int waiting,
    long queued,
    long processed,
    long failed,
    long delivered,
    long crashes,
    Double queueMs,
    Double runMs,
    Double deliveryMs) {

  static PoolReport of(
      String name, PoolLifecycle lifecycle, int capacity, Slots slots, TaskCounts counts) {
    return new PoolReport(
        name,
        lifecycle.status(),
        lifecycle.reason(),
        lifecycle.session(),
        capacity,
        slots.up(),
        slots.busy(),
        slots.waiting(),
        counts.queued,
        counts.processed,
        counts.failed,
        counts.delivered,
        counts.crashes,
        counts.queueMs(),
        counts.runMs(),
        counts.deliveryMs());
  }

  /** Whether everything it was given has left it. */
  public boolean idle() {
    return processed == queued;
  }
}
