package io.stoker.dispatcher.placement;

/**
 * What a job takes of its host: GPUs, CPU slots, or a place with the workers of a pool, never two
 * of them; a slot of its runner, if that has some; and memory.
 *
 * @param gpus 0 where CPU slots serve instead
 * @param pool the pool of workers, null for none
 * @param runner of which it takes a slot too, null for none
 * @param nodeGpus GPUs of the machine that its runner runs it on, which are none of its host's
 * @param memory of the host; null if nothing is known of it
 */
record Need(int gpus, int cpuSlots, String pool, String runner, int nodeGpus, MemoryNeed memory) {

  Need(int gpus, int cpuSlots) {
    this(gpus, cpuSlots, null, null, 0, null);
  }

  static Need inPool(String pool) {
    return new Need(0, 0, pool, null, 0, null);
  }

  /**
   * The same by a runner.
   *
   * @param type of the runner, null for none
   * @param ofNode GPUs of the machine that it is run on, where that is not the host
   */
  Need by(String type, int ofNode) {
    return new Need(gpus, cpuSlots, pool, type, ofNode, memory);
  }

  Need with(MemoryNeed ofHost) {
    return ofHost == null ? this : new Need(gpus, cpuSlots, pool, runner, nodeGpus, ofHost);
  }

  /** Whether a slot of its runner is all that it takes. */
  boolean runnerOnly() {
    return runner != null && gpus == 0 && cpuSlots == 0;
  }

  boolean onPool() {
    return pool != null;
  }

  /** Whether it takes GPUs of its host. */
  boolean onGpus() {
    return gpus > 0;
  }

  /** Whether it stands in its queue's line for GPUs, whosever they are. */
  boolean forGpus() {
    return gpus + nodeGpus > 0;
  }

  int count() {
    if (onPool() || runnerOnly()) {
      return 1;
    }
    return onGpus() ? gpus : cpuSlots;
  }

  /** All but the memory. */
  String describe() {
    if (onPool()) {
      return "a place in pool " + pool;
    }
    if (runnerOnly()) {
      return "a slot of runner " + runner;
    }
    String what = gpus > 0 ? gpus + " GPU(s)" : cpuSlots + " CPU slot(s)";
    return runner == null ? what : what + " and a slot of runner " + runner;
  }

  String describeAll() {
    return memory == null ? describe() : describe() + " and " + memory.describe();
  }
}
