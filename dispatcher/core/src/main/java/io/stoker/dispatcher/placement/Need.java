package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.model.Takes.OnGpus;
import io.stoker.dispatcher.model.Takes.OnHost;
import io.stoker.dispatcher.model.Takes.OnPool;

/**
 * The resources that a job takes of its host.
 *
 * @param takes what its attempt will, which is promised no memory yet
 * @param memory of the host; null if nothing is known of it
 */
record Need(Takes takes, MemoryNeed memory) {
  Need(int gpus, int cpuSlots) {
    this(Takes.of(gpus, cpuSlots), null);
  }

  Need with(MemoryNeed ofHost) {
    return ofHost == null ? this : new Need(takes, ofHost);
  }

  /** GPUs of the host; 0 where CPU slots serve instead. */
  int gpus() {
    return takes.hostGpus();
  }

  int cpuSlots() {
    return takes.cpuSlots();
  }

  boolean onPool() {
    return takes instanceof OnPool;
  }

  /** Whether it takes GPUs of its host. */
  boolean onGpus() {
    return takes instanceof OnGpus;
  }

  /** Whether it stands in its queue's line for GPUs, whosever they are. */
  boolean forGpus() {
    return takes.gpus() > 0;
  }

  int count() {
    return takes instanceof OnHost ? takes.devices() : 1;
  }

  /** All but the memory. */
  String describe() {
    String slot = takes.runner() == null ? "" : "a slot of runner " + takes.runner();
    String devices = onGpus() ? gpus() + " GPU(s)" : cpuSlots() + " CPU slot(s)";
    return switch (takes) {
      case OnPool task -> "a place in pool " + task.pool();
      case OnHost process -> slot.isEmpty() ? devices : devices + " and " + slot;
      default -> slot;
    };
  }

  /**
   * All of it.
   *
   * @param gpusLike which GPUs alone would do
   */
  String describeAll(String gpusLike) {
    String devices = onGpus() ? describe() + gpusLike : describe();
    return memory == null ? devices : devices + " and " + memory.describe();
  }
}
