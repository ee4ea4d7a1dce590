package io.stoker.agent.attempt;

import java.util.OptionalLong;

/**
 * What a run took as the kernel counts it, to its end: it misses nothing that is too short to be
 * sampled.
 *
 * @param cpuMs user and system time
 * @param memory bytes resident at once, if known
 */
public record RunUsage(long cpuMs, OptionalLong memory) {}
