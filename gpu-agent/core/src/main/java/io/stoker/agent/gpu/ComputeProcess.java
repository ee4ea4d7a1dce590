package io.stoker.agent.gpu;

import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * A process with a compute context on a device.
 *
 * @param pid in the pid namespace of the driver, which is not always the agent's
 * @param usedMemory bytes; empty if the driver does not know, which must not be counted as a number
 * @param gpuInstance MIG GPU instance, if any
 * @param computeInstance MIG compute instance, if any
 */
public record ComputeProcess(
    long pid, OptionalLong usedMemory, OptionalInt gpuInstance, OptionalInt computeInstance) {}
