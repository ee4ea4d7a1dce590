package io.stoker.agent.host;

import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.key.AgentKey;
import io.stoker.agent.loop.AgentName;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.agent.runner.RunTerms;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The settings of one agent.
 *
 * @param key signs what it says, if there is one
 * @param runs what holds for each
 * @param serving what it runs, and for whom
 * @param stopWithin longest wait at a stop
 */
public record AgentSettings(
    AgentName name,
    Data data,
    AgentKey key,
    Deciding deciding,
    RunTerms runs,
    Serving serving,
    Duration stopWithin) {
  /**
   * Where it has its data.
   *
   * @param folder for journal and runs, absolute
   * @param reserve bytes that are set aside on the disk for when it is full
   */
  public record Data(Path folder, long reserve) {}

  /**
   * What its decider goes by.
   *
   * @param pools of workers
   * @param maxOutage how long jobs run on while the broker cannot be reached; zero for no longer
   *     than the lease
   * @param lookAhead CPU jobs that are held behind the CPU slots at most
   */
  public record Deciding(
      AgentRules rules, List<PoolSettings> pools, Duration maxOutage, int lookAhead) {}
}
