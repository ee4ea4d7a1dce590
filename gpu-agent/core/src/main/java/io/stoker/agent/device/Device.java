package io.stoker.agent.device;

import java.util.Optional;

/**
 * A device of this host.
 *
 * @param id as the device list gives it, else the UUID; this is what jobs are told
 * @param uuid by which NVML is asked
 * @param name the product's name
 * @param memoryTotal bytes
 * @param computeCapability e.g. {@code 9.0}, if known
 */
public record Device(
    String id,
    String uuid,
    String name,
    long memoryTotal,
    DeviceType type,
    Optional<String> computeCapability) {}
