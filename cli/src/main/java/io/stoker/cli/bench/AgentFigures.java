package io.stoker.cli.bench;

/**
 * The use of an agent that has nothing to do.
 *
 * @param gpus simulated ones that it samples each second
 * @param startToHeartbeat milliseconds from the start of its process to its first heartbeat read
 *     from the topic; a dispatcher has welcomed it in between
 * @param residentMiB of its own process, what it shares with others included
 * @param togetherMiB of that, its spawner and its watchdog; what they share is divided
 * @param idleCpuPercent of one core, of all three
 */
record AgentFigures(
    int gpus,
    Percentiles startToHeartbeat,
    long residentMiB,
    long togetherMiB,
    double idleCpuPercent) {}
