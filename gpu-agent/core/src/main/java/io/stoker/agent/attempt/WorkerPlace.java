package io.stoker.agent.attempt;

import io.stoker.agent.pool.Answer;
import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Map;
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
    return new Place(
        key.job(),
        key.attempt(),
        null,
        0,
        null,
        pool.command(),
        null,
        env,
        pool.workdir().orElse(null),
        pool.gpus(),
        pool.gpuMemory().isPresent() ? pool.gpuMemory().getAsLong() : null,
        pool.gpuMemory().isPresent(),
        pool.cpuSlots(),
        null,
        List.of(),
        null,
        null,
        List.of(),
        null,
        null,
        null,
        null,
        pool.name(),
        null,
        null,
        null,
        null,
        null);
  }
}
