package io.stoker.agent.attempt;

/** The reasons for which the agent ends an attempt itself. */
public enum KillReason {
  /** The dispatcher asked for it. */
  CANCEL,
  /** It ran longer than its time-out. */
  TIMEOUT,
  /** A later attempt of the same job was given to this host. */
  SUPERSEDED,
  /** The host's lease ran out: the dispatcher may have given the job to another host. */
  LEASE,
  /** The agent stops and takes its jobs with it. */
  STOP,
  /** A device of it has failed. */
  DEVICE,
  /** One of its stages has failed for good. */
  STAGE,
  /** It took more of a GPU that it shares than it was promised. */
  GPU_MEMORY,
  /** It took more of the host's memory than it was promised. */
  HOST_MEMORY,
  /** Its GPUs did next to nothing for long. */
  IDLE,
  /** It wrote more than it may. */
  DISK,
  /** After a restart its devices could not be given back to it. */
  UNMATCHED;

  /** Whether the processes get time to end by themselves. */
  public boolean graceful() {
    return this == CANCEL || this == TIMEOUT || this == STOP || this == STAGE || this == IDLE;
  }
}
