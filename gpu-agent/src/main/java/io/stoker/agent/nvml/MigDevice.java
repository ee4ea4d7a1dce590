package io.stoker.agent.nvml;

/**
 * A slice of a GPU that a process can be given as its device.
 *
 * @param uuid {@code MIG-…}
 * @param gpuUuid the GPU it is a part of
 * @param name e.g. {@code NVIDIA H200 MIG 1g.18gb}
 */
public record MigDevice(String uuid, String gpuUuid, String name) {}
