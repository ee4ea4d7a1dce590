package io.stoker.dispatcher.placement;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a placement pass looks at.
 *
 * @param hosts all hosts of the fleet
 * @param heads the first jobs in line of every queue and shape
 */
public record Snapshot(List<Host> hosts, List<Head> heads) {

  /**
   * A host and what is free on it.
   *
   * @param usable whether it is up, heard of within its lease, and not cordoned
   * @param why the reason if it is not usable
   * @param gpus GPUs it has, by id
   * @param freeGpus GPUs that no open attempt and no reservation takes
   * @param freeSlots CPU slots likewise
   * @param openPlacements attempts it has not accepted yet
   * @param labels for {@code require} and {@code prefer}
   * @param sharing what is free on its GPUs for jobs that share them
   */
  public record Host(
      String id,
      boolean usable,
      String why,
      Set<String> gpus,
      int freeGpus,
      int freeSlots,
      int cpuSlots,
      int openPlacements,
      Map<String, String> labels,
      Sharing sharing) {

    /** Whether anything at all may be placed on it. */
    boolean hasRoom() {
      return usable && (freeGpus > 0 || freeSlots > 0 || sharing.room().has(1, 1L));
    }
  }

  /**
   * A job that is first in line.
   *
   * @param avoid hosts that failed it; used only if no other can ever serve it
   * @param returnedBy hosts that could not take its shape and have not changed since
   */
  public record Head(
      String job,
      String queue,
      Shape shape,
      int priority,
      long seq,
      List<String> avoid,
      Set<String> returnedBy) {}
}
