package io.stoker.dispatcher.placement;

/**
 * A job given to a host.
 *
 * @param gpus GPUs it takes; 0 where CPU slots serve instead
 * @param cpuSlots CPU slots it takes
 */
public record Assignment(String job, String host, int gpus, int cpuSlots) {}
