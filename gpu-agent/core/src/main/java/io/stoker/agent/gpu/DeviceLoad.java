package io.stoker.agent.gpu;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The readings of a device that change from moment to moment, asked for at once: finding the device
 * costs a driver more than most of the answers. The processes are asked for before the memory.
 *
 * @param processes with a compute context; empty if the library cannot list them
 * @param temperature of the chip, in degrees Celsius
 * @param power drawn now, in milliwatts
 */
public record DeviceLoad(
    Optional<List<ComputeProcess>> processes,
    MemoryReading memory,
    Optional<Utilization> utilization,
    OptionalInt temperature,
    OptionalLong power) {}
