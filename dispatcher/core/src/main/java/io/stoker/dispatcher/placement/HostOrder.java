package io.stoker.dispatcher.placement;

import java.util.Comparator;

/** Orders the hosts that a job may get. */
final class HostOrder {
  private HostOrder() {}

  /**
   * Which of the hosts that fit is taken, the greatest: the one with most preferred labels; then
   * one whose GPUs are as large as the job is expected to need, or for a job that ran out of memory
   * the largest; for one that ran out of its host's memory the one with most left; for GPUs then
   * the fullest, so that whole hosts stay free for large jobs; for slots the emptiest; and what is
   * equal in all of this by lot.
   */
  static Comparator<HostCapacity> best(QueueHead head, Need need, TieBreaker ties) {
    Comparator<HostCapacity> lot = ties.of(head.job());
    return (one, other) -> {
      int order =
          Long.compare(
              Labels.preferred(head.shape(), one.host()),
              Labels.preferred(head.shape(), other.host()));
      if (order == 0) {
        order = Long.compare(suits(one, head, need), suits(other, head, need));
      }
      if (order == 0 && head.shape().staged()) {
        order = Integer.compare(one.freeForStaged(), other.freeForStaged());
      }
      if (order == 0 && head.memory().ofHost().ranOut() > 0) {
        order = Long.compare(one.memory().left(), other.memory().left());
      }
      if (order == 0) {
        int fuller = Integer.compare(one.free(need), other.free(need));
        order = need.onGpus() ? -fuller : fuller;
      }
      return order == 0 ? lot.compare(one, other) : order;
    };
  }

  private static long suits(HostCapacity capacity, QueueHead head, Need need) {
    long size = capacity.size(need.gpus());
    if (head.memory().ranOut()) {
      return size;
    }
    Long expected = head.memory().expected();
    return expected == null || size >= expected ? 1 : 0;
  }

  /** Which host is kept for a job, the greatest: the one that lacks least. */
  static Comparator<HostCapacity> soonest(Need need) {
    if (need.memory() != null) {
      return Comparator.<HostCapacity>comparingInt(
              capacity -> Math.min(need.count(), capacity.free(need)))
          .thenComparingLong(capacity -> capacity.memory().left())
          .thenComparingInt(capacity -> capacity.free(need))
          .thenComparing(HostCapacity::id, Comparator.reverseOrder());
    }
    return Comparator.<HostCapacity>comparingInt(capacity -> capacity.free(need))
        .thenComparing(HostCapacity::id, Comparator.reverseOrder());
  }
}
