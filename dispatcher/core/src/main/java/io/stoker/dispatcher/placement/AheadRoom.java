package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.ledger.Shape;

/**
 * What a host may be given behind its CPU slots.
 *
 * @param places attempts more
 * @param ms of running time that may be put before the last of them, on all its slots together
 */
public record AheadRoom(int places, long ms) {
  public static final AheadRoom NONE = new AheadRoom(0, 0);

  /** Attempts that a host holds at most, whatever it offers. */
  static final int MOST = 64;

  /** Whether such a job may be held behind slots at all. */
  static boolean suits(Head head, Need need) {
    Shape shape = head.shape();
    return need.cpuSlots() == 1
        && !need.forGpus()
        && need.runner() == null
        && shape.gpus() == 0
        && shape.pool() == null
        && !shape.staged()
        && shape.members() == 1;
  }
}
