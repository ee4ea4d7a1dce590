package io.stoker.simulation;

/** A process' way to the broker. */
interface Wire {
  Life life();

  /** When it can reach the broker again, 0 if it can. */
  default long cutOffUntil() {
    return 0;
  }
}
