package io.stoker.agent.attempt;

import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.ToAgent.Given;
import io.stoker.common.message.ToAgent.Grant;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import io.stoker.common.message.Workload.Claim;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.message.Workload.Program;
import io.stoker.common.message.Workload.Share;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** What a worker's process is started with, in the words of a placement: runs know no others. */
final class WorkerPlace {
  private WorkerPlace() {}

  static Place of(AttemptKey key, PoolSettings pool, int slot, long seed) {
    Map<String, String> env = new TreeMap<>(pool.env());
    env.put("STOKER_WORKERS", Integer.toString(Answer.VERSION));
    env.put("STOKER_POOL", pool.name());
    env.put("STOKER_WORKER", Integer.toString(slot));
    env.put("STOKER_SEED", Long.toString(seed));
    Gpus gpus =
        new Gpus(pool.gpus(), pool.gpuMemory(), pool.gpuMemory().isPresent(), Optional.empty());
    return new Place(
        new Grant(key.job(), key.attempt(), null, 0),
        Given.NOTHING,
        null,
        0,
        null,
        new Workload.Process(
            new Program(
                pool.command(),
                env,
                pool.workdir(),
                false,
                OptionalLong.empty(),
                Claim.ofSecrets(pool.secrets())),
            new Share(gpus, pool.cpuSlots(), List.of())));
  }
}
