package io.stoker.dispatcher.model;

/**
 * The use of one queue by the attempts that ended in one transaction, from their placement on.
 *
 * @param gpuMs GPUs × ms
 * @param slotMs CPU slots × ms
 * @param runMs how long they took, on average by what they took
 * @param at when they ended, ms since 1970
 */
public record UsageRow(String queue, double gpuMs, double slotMs, double runMs, long at) {
  /** What an attempt took until now. */
  public static UsageRow of(AttemptRow attempt, long now) {
    double run = Math.max(0, now - attempt.placedAt());
    Takes takes = attempt.takes();
    return new UsageRow(attempt.queue(), takes.gpus() * run, takes.cpuSlots() * run, run, now);
  }

  /** Both together; of one queue and time. */
  public UsageRow plus(UsageRow other) {
    double sum = gpuMs + slotMs + other.gpuMs + other.slotMs;
    double mean =
        sum == 0
            ? 0
            : (runMs * (gpuMs + slotMs) + other.runMs * (other.gpuMs + other.slotMs)) / sum;
    return new UsageRow(queue, gpuMs + other.gpuMs, slotMs + other.slotMs, mean, at);
  }
}
