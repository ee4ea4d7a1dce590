package io.stoker.common.state;

import java.util.Locale;

/** The states of a request, as its status shows them. Terminal states are final. */
public enum RequestState {
  /** Waits for dependencies. */
  WAITING,
  /** Bound to a job that waits for a host. */
  QUEUED,
  /** Its job was given to a host that has not started it yet. */
  PLACED,
  /** Its job runs. */
  RUNNING,
  SUCCEEDED,
  FAILED,
  CANCELLED,
  /** Refused at admission; nothing was accepted under this id. */
  REJECTED;

  /** The type of the CloudEvent that tells of it. */
  public String eventType() {
    return "io.stoker.request." + name().toLowerCase(Locale.ROOT);
  }

  public boolean terminal() {
    return compareTo(SUCCEEDED) >= 0;
  }
}
