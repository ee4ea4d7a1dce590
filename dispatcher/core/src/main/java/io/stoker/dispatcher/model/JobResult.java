package io.stoker.dispatcher.model;

import io.stoker.common.message.RequestStatus.AnsweredBy;

/**
 * What a job has to show.
 *
 * @param text JSON; null if there is none, or it was left out
 * @param leftOut whether it was too large to be read with its job
 * @param answeredBy whose work it is, where the job was answered by an equal one that it had waited
 *     for; else null
 */
public record JobResult(String text, boolean leftOut, AnsweredBy answeredBy) {
  static final JobResult NONE = new JobResult(null, false, null);

  public JobResult {
    if (leftOut && text != null) {
      throw new IllegalArgumentException("a result that was left out is there");
    }
  }

  JobResult text(String next) {
    return new JobResult(next, false, answeredBy);
  }
}
