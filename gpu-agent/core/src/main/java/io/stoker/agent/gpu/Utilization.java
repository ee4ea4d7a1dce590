package io.stoker.agent.gpu;

/**
 * Percent of the last sample period, 0 to 100.
 *
 * @param gpuPercent time in which a kernel ran
 * @param memoryPercent time in which device memory was read or written
 */
public record Utilization(int gpuPercent, int memoryPercent) {}
