package io.stoker.agent.attempt;

/**
 * The two clocks a decision looks at.
 *
 * @param bootMs CLOCK_BOOTTIME in ms: it never jumps, and it counts while the machine sleeps, so
 *     leases and time-outs go by it
 * @param wallMs ms since 1970, for people only: it may jump
 */
public record Now(long bootMs, long wallMs) {}
