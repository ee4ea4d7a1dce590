package io.stoker.agent.gate;

/**
 * A host at one moment.
 *
 * @param cpuPercent how busy its processors were since the last look, all together 100
 * @param memoryTotal bytes
 * @param memoryFree bytes that can be had without swapping
 */
public record HostLoad(double cpuPercent, long memoryTotal, long memoryFree) {}
