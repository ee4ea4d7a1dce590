package io.stoker.dispatcher.ledger;

/** A job that may be placed: higher priority first, then order of arrival. */
public record ReadyRow(String job, String queue, String shape, int priority, long seq) {
  public static ReadyRow of(JobRow job) {
    return new ReadyRow(job.id(), job.queue(), job.shape(), job.priority(), job.seq());
  }
}
