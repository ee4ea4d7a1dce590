package io.stoker.agent.gpu;

/**
 * The load of one process on a GPU in one sample period.
 *
 * @param pid as in {@link ComputeProcess#pid}
 * @param atMicros when the sample was taken, µs since 1970 by the driver's clock
 * @param smPercent time in which its kernels ran
 * @param memoryPercent time in which it read or wrote device memory
 */
public record ProcessLoad(long pid, long atMicros, int smPercent, int memoryPercent) {}
