package io.stoker.common.message;

/**
 * The expected needs of a group's jobs that do not state them, where they wait at gates: staged
 * ones, and those with {@code gates}. Sizes with their units, such as {@code 4GiB}.
 *
 * @param memory of the host; null if nothing is expected
 * @param gpuMemory of a GPU; null if nothing is expected
 */
public record GroupEstimates(String memory, String gpuMemory) {}
