package io.stoker.agent.gpu;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * The identity of a device: what never changes while it is there.
 *
 * @param uuid {@code GPU-…} or {@code MIG-…}
 * @param name the product's name, e.g. {@code NVIDIA H200}
 * @param minorNumber N of {@code /dev/nvidiaN}
 * @param pci address on the bus
 * @param computeCapability e.g. 9.0
 */
public record GpuIdentity(
    String uuid,
    String name,
    OptionalInt minorNumber,
    Optional<PciAddress> pci,
    Optional<ComputeCapability> computeCapability) {}
