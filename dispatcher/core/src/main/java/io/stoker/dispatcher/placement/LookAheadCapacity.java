package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Shape;

/**
 * The number of jobs that a host may be given behind its CPU slots.
 *
 * @param places attempts more
 * @param ms of running time that may be put before the last of them, on all its slots together
 */
public record LookAheadCapacity(int places, long ms) {
  public static final LookAheadCapacity NONE = new LookAheadCapacity(0, 0);

  /** Attempts that a host holds at most, whatever it offers. */
  static final int MOST = 64;

  /** Whether such a job may be held behind slots at all. */
  static boolean suits(QueueHead head, Need need) {
    Shape shape = head.shape();
    return need.takes().plainSlots() == 1
        && shape.gpus() == 0
        && !shape.staged()
        && shape.members() == 1;
  }
}
