package io.stoker.dispatcher.placement;

/** The reason why a host does not take a job: a label of few values, for metrics. */
public enum FilterFailure {
  /** The request says that it must not. */
  AVOIDED,
  /** It does not serve the request's type. */
  NO_SUCH_RUNNER,
  /** It lists its users, and the request's is none of them. */
  NOT_FOR_USER,
  TOO_FEW_GPUS,
  TOO_FEW_SLOTS,
  /** It has no such pool of workers. */
  NO_SUCH_POOL,
  /** It has not the device that the request names. */
  NO_SUCH_DEVICE,
  /** It lacks a label that the request requires. */
  LABEL,
  /** Its GPUs are smaller than what the request declares. */
  TOO_LITTLE_GPU_MEMORY,
  /** It has less memory in all than the job is to be promised. */
  TOO_LITTLE_MEMORY,
  /** It is lost, gone, cordoned, or has not been heard of. */
  NOT_USABLE,
  /** The job failed there, and another host can serve it. */
  FAILED_BEFORE,
  /** It returned such a job and has not changed since. */
  RETURNED,
  /** It has not yet accepted what it was given. */
  BEHIND,
  /** Something else runs there. */
  BUSY,
  /** Its memory is promised to others, or taken. */
  BUSY_MEMORY,
  /** Its room is kept for a job that has waited longer. */
  RESERVED
}
