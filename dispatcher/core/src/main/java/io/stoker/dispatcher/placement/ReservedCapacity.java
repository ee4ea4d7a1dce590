package io.stoker.dispatcher.placement;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The capacity of a host that is reserved for jobs that have waited long, or for whom others were
 * preempted.
 */
final class ReservedCapacity {
  private final Map<String, Need> byJob = new LinkedHashMap<>();

  /** Keeps so much, as soon as it is free, from all who come later. */
  void keep(Need need, String job) {
    byJob.put(job, need);
  }

  /** Keeps nothing more for that job. */
  void release(String job) {
    byJob.remove(job);
  }

  boolean isEmpty() {
    return byJob.isEmpty();
  }

  Optional<String> firstJob() {
    return byJob.keySet().stream().findFirst();
  }

  /**
   * Whether what is needed is kept, of so much that is free. Nobody gets in on a shared GPU either:
   * what is kept is to become free.
   */
  boolean holds(Need need, int freeGpus, int freeSlots) {
    int gpus = 0;
    int slots = 0;
    for (Need one : byJob.values()) {
      gpus += one.gpus();
      slots += one.cpuSlots();
    }
    return (gpus > 0 && need.gpus() > 0 && freeGpus - gpus < need.gpus())
        || (need.cpuSlots() > 0 && freeSlots - slots < need.cpuSlots());
  }

  /** Bytes of the host's memory that are kept. */
  long memory(MemoryCapacity capacity) {
    long bytes = 0;
    for (Need one : byJob.values()) {
      bytes += capacity.toKeep(one.memory());
    }
    return bytes;
  }
}
