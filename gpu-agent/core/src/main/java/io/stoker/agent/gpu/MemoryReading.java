package io.stoker.agent.gpu;

import java.util.OptionalLong;

/**
 * A device's memory at one moment, in bytes.
 *
 * @param free what can still be allocated: the figure to admit on
 * @param used in use by processes; includes what is reserved if {@code reserved} is empty
 * @param reserved kept by driver and firmware; empty if the library is too old to tell
 */
public record MemoryReading(long total, long free, long used, OptionalLong reserved) {}
