package io.stoker.dispatcher.placement;

/**
 * What a job takes of its host: GPUs or CPU slots, never both.
 *
 * @param gpus 0 where CPU slots serve instead
 */
record Need(int gpus, int cpuSlots) {

  boolean onGpus() {
    return gpus > 0;
  }

  int count() {
    return onGpus() ? gpus : cpuSlots;
  }

  String describe() {
    return gpus > 0 ? gpus + " GPU(s)" : cpuSlots + " CPU slot(s)";
  }
}
