package io.stoker.dispatcher.placement;

import java.util.Comparator;

/** Which of several hosts a job gets. */
final class RoomOrder {
  private RoomOrder() {}

  /**
   * Which of the hosts that fit is taken, the greatest: the one with most preferred labels; then
   * one whose GPUs are as large as the job is expected to need, or for a job that ran out of memory
   * the largest; for one that ran out of its host's memory the one with most left; for GPUs then
   * the fullest, so that whole hosts stay free for large jobs; for slots the emptiest; and what is
   * equal in all of this by lot.
   */
  static Comparator<Room> best(Head head, Need need, Ties ties) {
    Comparator<Room> lot = ties.of(head.job());
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

  private static long suits(Room room, Head head, Need need) {
    long size = room.size(need.gpus());
    if (head.memory().ranOut()) {
      return size;
    }
    Long expected = head.memory().expected();
    return expected == null || size >= expected ? 1 : 0;
  }

  /** Which host is kept for a job, the greatest: the one that lacks least. */
  static Comparator<Room> soonest(Need need) {
    if (need.memory() != null) {
      return Comparator.<Room>comparingInt(room -> Math.min(need.count(), room.free(need)))
          .thenComparingLong(room -> room.memory().left())
          .thenComparingInt(room -> room.free(need))
          .thenComparing(Room::id, Comparator.reverseOrder());
    }
    return Comparator.<Room>comparingInt(room -> room.free(need))
        .thenComparing(Room::id, Comparator.reverseOrder());
  }
}
