package io.stoker.agent.gpu;

/**
 * An active NVLink of a GPU.
 *
 * @param link its number on the GPU
 * @param remote the GPU at its other end or, where there is one, the switch
 */
public record NvLink(int link, PciAddress remote) {}
