package io.stoker.agent.app;

import io.stoker.agent.attempt.AgentRules;
import io.stoker.agent.attempt.DiskQuota;
import io.stoker.agent.attempt.Idle;
import io.stoker.agent.attempt.Outgrow;
import io.stoker.agent.config.AgentConfig;
import io.stoker.agent.config.DiskConfig;
import io.stoker.agent.config.GatesConfig;
import io.stoker.agent.gate.GateRules;
import io.stoker.agent.staged.GpuPriority;
import io.stoker.agent.staged.StageLimits;
import io.stoker.common.size.ByteSize;
import java.util.Optional;
import java.util.OptionalLong;

/** Rules for staged jobs and for memory, as configured. */
final class StagedRules {
  private StagedRules() {}

  /**
   * The rules.
   *
   * @throws IllegalArgumentException naming the key that is wrong
   */
  static AgentRules of(AgentConfig config) {
    GatesConfig.Scheduler scheduler = config.scheduler();
    GatesConfig.UtilizationLimit limit = config.utilizationLimit();
    GateRules gates =
        new GateRules(
            scheduler.maxProcess(),
            scheduler.maxWaiting(),
            size("scheduler.default-memory", scheduler.defaultMemory()),
            size("scheduler.default-cuda-memory", scheduler.defaultCudaMemory()),
            scheduler.allJobs(),
            limit.cpu(),
            new GateRules.Limit(
                limit.memory(), size("remain-limit.memory", config.remainLimit().memory())),
            new GateRules.Limit(
                limit.cudaMemory(),
                size("remain-limit.cuda-memory", config.remainLimit().cudaMemory())));
    return AgentRules.standard()
        .withStaging(
            new AgentRules.Staging(
                gates,
                new StageLimits(scheduler.loadNretry(), scheduler.trainNretry()),
                GpuPriority.parse(scheduler.gpuPriority())))
        .withOutgrow(new Outgrow(config.memory().outgrow(), config.memory().tolerance()))
        .withIdle(
            new Idle(
                config.idle().action(), config.idle().below(), config.idle().window().toMillis()))
        .withDisk(
            new DiskQuota(
                quota("disk.log-quota", config.disk().logQuota()),
                quota("disk.work-quota", config.disk().workQuota()),
                config.disk().overQuota() == DiskConfig.OverQuota.END))
        .withSecrets(SecretsOf.queues(config.secrets()));
  }

  private static OptionalLong quota(String key, Optional<String> value) {
    return value.isPresent() ? OptionalLong.of(size(key, value.get())) : OptionalLong.empty();
  }

  static long size(String key, String value) {
    try {
      return ByteSize.parse(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("stoker.agent." + key + ": " + e.getMessage(), e);
    }
  }
}
