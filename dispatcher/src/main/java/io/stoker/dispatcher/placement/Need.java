package io.stoker.dispatcher.placement;

/**
 * What a job takes of its host: GPUs, CPU slots, or a place with the workers of a pool, never two
 * of them.
 *
 * @param gpus 0 where CPU slots serve instead
 * @param pool the pool of workers, null for none
 */
record Need(int gpus, int cpuSlots, String pool) {

  Need(int gpus, int cpuSlots) {
    this(gpus, cpuSlots, null);
  }

  boolean onPool() {
    return pool != null;
  }

  boolean onGpus() {
    return gpus > 0;
  }

  int count() {
    if (onPool()) {
      return 1;
    }
    return onGpus() ? gpus : cpuSlots;
  }

  String describe() {
    if (onPool()) {
      return "a place in pool " + pool;
    }
    return gpus > 0 ? gpus + " GPU(s)" : cpuSlots + " CPU slot(s)";
  }
}
