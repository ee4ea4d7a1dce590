package io.stoker.agent.gpu;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A slice of a GPU that a process can be given as its device.
 *
 * @param uuid {@code MIG-…}
 * @param gpuUuid the GPU it is a part of
 * @param name e.g. {@code NVIDIA H200 MIG 1g.18gb}
 * @param gpuInstance number of the part of the GPU that it lies in
 * @param attributes what it has
 */
public record MigDevice(
    String uuid,
    String gpuUuid,
    String name,
    OptionalInt gpuInstance,
    Optional<Attributes> attributes) {

  /**
   * What a MIG device has of its GPU.
   *
   * @param gpuSlices of its memory, 1 to 8
   * @param computeSlices of its processors, 1 to 7
   * @param memoryMb memory, in MB of 2²⁰ bytes
   */
  public record Attributes(int multiprocessors, int gpuSlices, int computeSlices, long memoryMb) {}

  /** One of which no more is known. */
  public MigDevice(String uuid, String gpuUuid, String name) {
    this(uuid, gpuUuid, name, OptionalInt.empty(), Optional.empty());
  }
}
