package io.stoker.common.message;

import java.util.List;

/**
 * A machine with GPUs that a host runs jobs on.
 *
 * @param gpus ids of its GPUs, in order
 * @param gpuMemory bytes that each of them has in all; null if nothing is said of that
 */
public record NodeMachine(List<String> gpus, Long gpuMemory) {}
