package io.stoker.dispatcher.model;

import io.stoker.common.request.RunnerType;

/** The resources that an attempt takes of its host, each kind with what it alone has. */
public sealed interface Takes {
  /** A place with the workers of a pool, who have what they take. */
  record OnPool(String pool) implements Takes {}

  /**
   * A slot of the runner that runs it on another machine.
   *
   * @param gpus of that machine
   */
  record Remote(String runner, int gpus) implements Takes {}

  /** A slot for what a person does. */
  record Passive() implements Takes {
    @Override
    public String runner() {
      return RunnerType.PASSIVE.key();
    }
  }

  /** What a process has there. It may be promised some of the host's memory. */
  sealed interface OnHost extends Takes {}

  /**
   * GPUs.
   *
   * @param gpuMemory bytes promised on each of them, which it shares; null if it has them alone
   */
  record OnGpus(int gpus, Long gpuMemory, Long hostMemory, String runner) implements OnHost {}

  /** CPU slots. */
  record OnSlots(int cpuSlots, Long hostMemory, String runner) implements OnHost {}

  /** GPUs that count as its queue's: of its host, or of the machine that it runs on. */
  default int gpus() {
    return 0;
  }

  /** GPUs of its host: those of another machine are not its host's to give. */
  default int hostGpus() {
    return this instanceof OnGpus ? gpus() : 0;
  }

  default int cpuSlots() {
    return 0;
  }

  /** CPU slots of a process that takes no slot of a runner beside. */
  default int plainSlots() {
    return runner() == null ? cpuSlots() : 0;
  }

  /** GPUs of its host, or else CPU slots: never both. */
  default int devices() {
    return hostGpus() + cpuSlots();
  }

  /** GPUs of its host, or its CPU slots. */
  default int devices(boolean onGpus) {
    return onGpus ? hostGpus() : cpuSlots();
  }

  default Long gpuMemory() {
    return null;
  }

  /**
   * Bytes that it was promised; null if nothing is known of its job, or it has no process there.
   */
  default Long hostMemory() {
    return null;
  }

  default String pool() {
    return null;
  }

  /** Of which it takes a slot, as {@code resources.type} names it; null if of none. */
  default String runner() {
    return null;
  }

  /**
   * What that is, where each is 0 or null of which nothing is taken.
   *
   * @throws IllegalStateException if no attempt takes all of it
   */
  static Takes of(
      int gpus, int cpuSlots, Long gpuMemory, Long hostMemory, String pool, String runner) {
    boolean onHost = pool == null && RunnerType.runsOnHost(runner);
    boolean person = RunnerType.PASSIVE.key().equals(runner);
    boolean slotAlone = !onHost && cpuSlots == 0 && gpuMemory == null && hostMemory == null;
    if (onHost && gpus > 0 && cpuSlots == 0) {
      return new OnGpus(gpus, gpuMemory, hostMemory, runner);
    } else if (onHost && gpus == 0 && gpuMemory == null) {
      return new OnSlots(cpuSlots, hostMemory, runner);
    } else if (slotAlone && pool != null && runner == null && gpus == 0) {
      return new OnPool(pool);
    } else if (slotAlone && pool == null && person && gpus == 0) {
      return new Passive();
    } else if (slotAlone && pool == null && !person) {
      return new Remote(runner, gpus);
    }
    throw new IllegalStateException(
        "no attempt takes %d GPU(s) with %s bytes each, %d CPU slot(s), %s bytes, pool %s and runner %s"
            .formatted(gpus, gpuMemory, cpuSlots, hostMemory, pool, runner));
  }

  /** What a process has alone, or its job is to have: GPUs, or else CPU slots. */
  static Takes of(int gpus, int cpuSlots) {
    return of(gpus, cpuSlots, null, null, null, null);
  }
}
