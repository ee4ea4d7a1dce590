package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.ledger.AttemptRow.Takes;

/**
 * A job given to a host.
 *
 * @param gpus GPUs it takes, of its host or of the machine that its runner runs it on; 0 where CPU
 *     slots serve instead
 * @param cpuSlots CPU slots it takes
 * @param pool whose workers run it, null if none do
 * @param runner of which it takes a slot, null if of none
 * @param hostMemory bytes of the host's memory that it is promised; null if nothing is known of it
 * @param ahead whether it is held behind its host's CPU slots, of which none is free
 * @param gpuMemory bytes promised on each of the GPUs, which it shares; null if it has them alone
 */
public record Assignment(
    String job,
    String host,
    int gpus,
    int cpuSlots,
    Long gpuMemory,
    String pool,
    String runner,
    Long hostMemory,
    boolean ahead) {

  /** A job for which there is room now. */
  public Assignment(
      String job,
      String host,
      int gpus,
      int cpuSlots,
      Long gpuMemory,
      String pool,
      String runner,
      Long hostMemory) {
    this(job, host, gpus, cpuSlots, gpuMemory, pool, runner, hostMemory, false);
  }

  /** The same behind its host's CPU slots. */
  Assignment lookingAhead() {
    return new Assignment(job, host, gpus, cpuSlots, gpuMemory, pool, runner, hostMemory, true);
  }

  /** A job with a process of its own. */
  public Assignment(String job, String host, int gpus, int cpuSlots, Long gpuMemory) {
    this(job, host, gpus, cpuSlots, gpuMemory, null, null, null);
  }

  /** A job that has its GPUs alone. */
  public Assignment(String job, String host, int gpus, int cpuSlots) {
    this(job, host, gpus, cpuSlots, null);
  }

  /** What its attempt takes. */
  Takes takes() {
    return new Takes(gpus, cpuSlots, gpuMemory, hostMemory, pool, runner);
  }
}
