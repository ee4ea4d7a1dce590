package io.stoker.dispatcher.ledger;

/**
 * A peak of memory that was measured.
 *
 * @param key of equal jobs, or of jobs alike
 * @param peak bytes on each GPU, or of the host
 * @param at when, ms since 1970
 */
public record MemoryRow(String key, long peak, long at) {}
