package io.stoker.agent.attempt;

/**
 * Since when an attempt's GPUs do next to nothing.
 *
 * @param bootMs CLOCK_BOOTTIME
 * @param told whether that was said
 */
record IdleSince(long bootMs, boolean told) {}
