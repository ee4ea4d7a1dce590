package io.stoker.dispatcher.placement;

/**
 * What a job takes of its host: GPUs, CPU slots, or a place with the workers of a pool, never two
 * of them; and a slot of its runner, if that has some.
 *
 * @param gpus 0 where CPU slots serve instead
 * @param pool the pool of workers, null for none
 * @param runner of which it takes a slot too, null for none
 */
record Need(int gpus, int cpuSlots, String pool, String runner) {

  Need(int gpus, int cpuSlots) {
    this(gpus, cpuSlots, null, null);
  }

  static Need inPool(String pool) {
    return new Need(0, 0, pool, null);
  }

  Need by(String type) {
    return new Need(gpus, cpuSlots, pool, type);
  }

  /** Whether a slot of its runner is all that it takes. */
  boolean runnerOnly() {
    return runner != null && gpus == 0 && cpuSlots == 0;
  }

  boolean onPool() {
    return pool != null;
  }

  boolean onGpus() {
    return gpus > 0;
  }

  int count() {
    if (onPool() || runnerOnly()) {
      return 1;
    }
    return onGpus() ? gpus : cpuSlots;
  }

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
}
