package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.placement.Snapshot.Head;
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
    return Comparator.<Room>comparingLong(room -> Labels.preferred(head.shape(), room.host()))
        .thenComparing(room -> suits(room, head, need))
        .thenComparing(room -> head.shape().staged() ? room.freeForStaged() : 0)
        .thenComparing(room -> head.memory().ofHost().ranOut() > 0 ? room.memory().left() : 0L)
        .thenComparing(room -> need.onGpus() ? -room.free(need) : room.free(need))
        .thenComparing(ties.of(head.job()));
  }

  private static long suits(Room room, Head head, Need need) {
    long size = room.host().sharing().size(need.gpus());
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
