package io.stoker.agent.host;

import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.cgroup.GroupRules;
import io.stoker.agent.key.AgentKey;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.runner.Confinement;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What one agent goes by.
 *
 * @param data folder for journal and runs, absolute
 * @param key signs what it says, if there is one
 * @param grace between SIGTERM and SIGKILL
 * @param logCap bytes of output sent on, of one attempt
 * @param rules what its decider goes by
 * @param pools of workers
 * @param serving what it runs, and for whom
 * @param stopWithin longest wait at a stop
 * @param maxOutage how long jobs run on while the broker cannot be reached; zero for no longer than
 *     the lease
 * @param keepEnded whether what ended runs left is put aside, and not deleted
 * @param confinement what processes of jobs are kept in
 * @param groups when jobs have control groups
 * @param reserve bytes that are set aside on the disk for when it is full
 * @param lookAhead CPU jobs that are held behind the CPU slots at most
 */
public record AgentSettings(
    String host,
    String fleet,
    String version,
    Path data,
    AgentKey key,
    Duration grace,
    long logCap,
    AgentRules rules,
    List<PoolSettings> pools,
    Serving serving,
    Duration stopWithin,
    Duration maxOutage,
    boolean keepEnded,
    Confinement confinement,
    GroupRules groups,
    long reserve,
    int lookAhead) {}
