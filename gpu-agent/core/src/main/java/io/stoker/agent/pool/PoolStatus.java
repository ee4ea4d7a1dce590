package io.stoker.agent.pool;

/** The status of a pool. */
public enum PoolStatus {
  /** The workers that are always to be there are not all up yet. */
  STARTING,
  SERVING,
  /** It takes nothing more. */
  CLOSING,
  CLOSED,
  /** None of its workers can be had. */
  FAILED;

  boolean takes() {
    return this == STARTING || this == SERVING;
  }
}
