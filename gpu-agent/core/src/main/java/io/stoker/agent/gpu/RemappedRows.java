package io.stoker.agent.gpu;

/**
 * Rows of memory that were replaced by spare ones.
 *
 * @param corrected rows replaced since errors in them could be corrected
 * @param uncorrected rows replaced since errors in them could not
 * @param pending whether a row waits for a reset to be replaced
 * @param failed whether a row could not be replaced: the GPU is to be exchanged
 */
public record RemappedRows(int corrected, int uncorrected, boolean pending, boolean failed) {}
