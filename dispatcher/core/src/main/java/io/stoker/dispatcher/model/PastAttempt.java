package io.stoker.dispatcher.model;

import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import java.util.Arrays;
import java.util.List;

/**
 * An attempt that is over on a host, as people are told of it.
 *
 * @param rank which member of a gang it was; 0 if the job has one host
 * @param placedAt ms since 1970; null where that is not known any more
 * @param runningSince ms since 1970; null if it never ran, or that is not known
 * @param endedAt ms since 1970
 * @param category why it failed, if it did
 * @param reason a sentence for people; null if it succeeded
 * @param exitCode of its process, null if it is not known
 * @param usage what it took, null if it is not known
 */
public record PastAttempt(
    String job,
    int number,
    int rank,
    String host,
    List<String> devices,
    Long placedAt,
    Long runningSince,
    long endedAt,
    How how,
    FailureCategory category,
    String reason,
    Integer exitCode,
    Usage usage) {
  /** Of a job no more are kept: half of them are its first ones, the others its last ones. */
  public static final int KEPT = 100;

  /** In what way it ended. */
  public enum How {
    SUCCEEDED,
    FAILED,
    /** Its host could not take it, or gave it back. */
    RETURNED,
    /** Its host did not accept it in time. */
    EXPIRED,
    /** Its host was lost, or lost it. */
    LOST,
    /** It was told to make room for another job. */
    PREEMPTED,
    /** Nobody wanted its job any more. */
    CANCELLED,
    /** It was told to leave its host, which is drained. */
    DRAINED,
    /** Another member of its gang had ended otherwise than well. */
    WITH_GANG,
    /** The pool of workers that had it was emptied. */
    RESET
  }

  /** Where it is kept among those of its job. */
  public int slot() {
    int half = KEPT / 2;
    return number <= half ? number : half + 1 + (number - half - 1) % half;
  }

  /** The last attempt of a job that is over, as far as the job itself tells of it. */
  public static PastAttempt of(JobRow job) {
    return new PastAttempt(
        job.id(),
        job.latest().number(),
        0,
        job.latest().host(),
        job.latest().devices(),
        null,
        job.latest().usage() == null || job.latest().usage().wallMs() == null
            ? null
            : Long.valueOf(job.endedAt() - job.latest().usage().wallMs()),
        job.endedAt(),
        switch (job.state()) {
          case SUCCEEDED -> How.SUCCEEDED;
          case CANCELLED -> job.code() == Code.POOL_RESET ? How.RESET : How.CANCELLED;
          default -> job.code() == Code.HOST_LOST ? How.LOST : How.FAILED;
        },
        category(job.code()),
        job.reason(),
        job.latest().exitCode(),
        job.latest().usage());
  }

  private static FailureCategory category(Code code) {
    return Arrays.stream(FailureCategory.values())
        .filter(category -> Code.of(category) == code)
        .findFirst()
        .orElse(null);
  }
}
