package io.stoker.agent.disk;

import io.stoker.common.size.ByteSize;
import java.util.Optional;

/**
 * The free space that the disk must have for a host to take jobs. What runs goes on below it, and
 * what it left free is for the ends that are to be journaled.
 *
 * @param bytes 0 for a host that takes jobs whatever is free
 */
public record DiskFloor(long bytes) {
  /** So much more must be free before jobs are taken again, so that it does not go to and fro. */
  private static final double AGAIN = 1.1;

  /**
   * Why nothing new is taken; empty if it is.
   *
   * @param before what this said last: the same as long as that holds
   * @param free bytes
   */
  Optional<String> judge(Optional<String> before, long free) {
    if (before.isPresent() && free < bytes * AGAIN) {
      return before;
    }
    return free < bytes
        ? Optional.of(
            "%s are free where its data is, and it takes jobs from %s on"
                .formatted(ByteSize.text(free), ByteSize.text(bytes)))
        : Optional.empty();
  }
}
