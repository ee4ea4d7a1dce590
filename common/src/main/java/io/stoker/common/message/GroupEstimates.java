package io.stoker.common.message;

/**
 * What jobs of a group are expected to take that do not say so themselves, where they wait for it
 * at gates: staged ones, and those with {@code gates}. Sizes with their units, such as {@code
 * 4GiB}.
 *
 * @param memory of the host; null if nothing is expected
 * @param gpuMemory of a GPU; null if nothing is expected
 */
public record GroupEstimates(String memory, String gpuMemory) {}
