package io.stoker.agent.attempt;

import java.util.OptionalLong;

/**
 * The use of a run from start to end as the kernel counts it, which misses nothing that is too
 * short to be sampled.
 *
 * @param cpuMs user and system time
 * @param memory bytes resident at once, if known
 */
public record RunUsage(long cpuMs, OptionalLong memory) {}
