package io.stoker.agent.device;

import java.util.Set;

/**
 * Tells which Xids leave a GPU healthy. They are the doing of an application, which dies of them;
 * every other Xid, known or not, puts the device out of use.
 *
 * @param harmless numbers of Xids
 */
public record XidPolicy(Set<Long> harmless) {
  /** What NVIDIA's catalogue lays to applications. */
  public static final XidPolicy DEFAULT =
      new XidPolicy(
          Set.of(
              13L, // graphics engine exception: an access out of bounds, an illegal instruction
              31L, // memory page fault: an illegal address
              43L, // the GPU stopped processing for one application
              45L, // preemptive cleanup: the channels of a process that was killed
              68L, // video processor exception
              109L // context switch time-out
              ));

  public XidPolicy {
    harmless = Set.copyOf(harmless);
  }

  /** Whether the device can be used on after this Xid. */
  public boolean isHarmless(long xid) {
    return harmless.contains(xid);
  }
}
