package io.stoker.common.state;

/** The states of a job. A retry or a lost placement goes back to {@link #QUEUED}. */
public enum JobState implements Successive<JobState> {
  QUEUED,
  PLACED,
  RUNNING,
  SUCCEEDED,
  FAILED,
  CANCELLED;

  public boolean terminal() {
    return compareTo(SUCCEEDED) >= 0;
  }

  /** One that waits for its equal may end by the other's end, without an attempt of its own. */
  @Override
  public boolean leadsTo(JobState next) {
    return switch (this) {
      case QUEUED -> next != RUNNING;
      case PLACED -> next != PLACED;
      case RUNNING -> next != PLACED;
      case SUCCEEDED, FAILED, CANCELLED -> false;
    };
  }

  /** How the requests of the job show it. */
  public RequestState shown() {
    return switch (this) {
      case QUEUED -> RequestState.QUEUED;
      case PLACED -> RequestState.PLACED;
      case RUNNING -> RequestState.RUNNING;
      case SUCCEEDED -> RequestState.SUCCEEDED;
      case FAILED -> RequestState.FAILED;
      case CANCELLED -> RequestState.CANCELLED;
    };
  }
}
