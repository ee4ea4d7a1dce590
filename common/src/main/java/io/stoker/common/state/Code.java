package io.stoker.common.state;

/**
 * The codes of a status beyond its state: a closed enumeration. The sentence for people is the
 * status's {@code reason}.
 */
public enum Code {
  /** Refused at admission: a field is wrong, missing or unknown. */
  INVALID_REQUEST,
  /** Refused: its dependencies would wait for each other. */
  DEPENDENCY_CYCLE,
  /** Refused: as many jobs of its queue are in line as may be. */
  QUEUE_FULL,
  /** What it is to be given, with the results of its dependencies, is more than a host can get. */
  TOO_LARGE,
  /** A dependency ended otherwise than SUCCEEDED, or its result is not kept any more. */
  DEPENDENCY_FAILED,
  /** A dependency ended in a way after which its condition can no longer hold. */
  CONDITION_NOT_MET,
  /** A dependency was not posted within {@code dependencyTimeout}. */
  DEPENDENCY_TIMEOUT,
  /** The job it shared with an earlier request failed. */
  SHARED_FAILURE,
  /** The job failed by itself. */
  APP_FAILURE,
  /** The job could not be started. */
  LAUNCH_FAILURE,
  /** The job, or this sharer's patience, ran out of time. */
  TIMED_OUT,
  /** It waited in the queue longer than {@code queueTimeout}. */
  QUEUE_TIMEOUT,
  GPU_OUT_OF_MEMORY,
  HOST_OUT_OF_MEMORY,
  DEVICE_FAULT,
  /** Its host was lost and no attempt is left. */
  HOST_LOST,
  /** It ended without the result that it requires. */
  RESULT_MISSING,
  /** Its result cannot be kept: too large, or no JSON that a database stores. */
  RESULT_INVALID,
  /** Cancelled on request. */
  CANCELLED,
  /** Ended because its intermediate results were worse than its peers'. */
  EARLY_STOPPED,
  /** Its worker pool was reset while it ran. */
  POOL_RESET,
  /** Given back to the queue for another job's sake. */
  PREEMPTED,
  /** No host of its fleet can ever serve it. */
  UNSATISFIABLE,
  /** Its stored rows, or what is to be done for it, fail each time while others do not. */
  SET_ASIDE,
  /** It broke a rule of its host, such as that GPUs may not idle, and was ended for it. */
  LIMIT_EXCEEDED,
  /** It runs, and takes more memory than it was promised. */
  MEMORY_OUTGROWN,
  /** It runs, and its GPUs have done next to nothing for a while. */
  GPU_IDLE,
  /** It runs, and has written more than its host's quota. */
  DISK_EXCEEDED;

  /** Whether it tells of a job that runs, and not as it should. */
  public boolean warns() {
    return compareTo(MEMORY_OUTGROWN) >= 0;
  }

  /** The code of a request whose job failed for good in this category. */
  public static Code of(FailureCategory category) {
    return switch (category) {
      case APP -> APP_FAILURE;
      case LAUNCH -> LAUNCH_FAILURE;
      case TIMEOUT -> TIMED_OUT;
      case GPU_OOM -> GPU_OUT_OF_MEMORY;
      case HOST_OOM -> HOST_OUT_OF_MEMORY;
      case DEVICE_FAULT -> DEVICE_FAULT;
      case HOST_LOST -> HOST_LOST;
      case LIMIT -> LIMIT_EXCEEDED;
    };
  }
}
