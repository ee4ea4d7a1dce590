package io.stoker.dispatcher.model;

/**
 * A measurement of a job: a peak of memory, or how long it ran.
 *
 * @param key of equal jobs, or of jobs alike
 * @param peak bytes on each GPU, or of the host; or ms
 * @param at when, ms since 1970
 */
public record MemoryRow(String key, long peak, long at) {}
