package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.only;

import io.stoker.agent.pool.PoolSettings;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** An agent with a pool of workers. */
abstract class PoolScene {
  static PoolSettings pool(int min, int max, int gpus) {
    return pool("iris", min, max, gpus);
  }

  static PoolSettings pool(String name, int min, int max, int gpus) {
    return new PoolSettings(
        name,
        List.of("worker"),
        Map.of("A", "b"),
        Map.of("TOKEN", "hf"),
        Optional.empty(),
        min,
        max,
        2,
        3 * max,
        60_000,
        10_000,
        10_000,
        true,
        gpus,
        OptionalLong.empty(),
        0);
  }

  static DeciderHarness agent(DeciderHarness agent, PoolSettings pool) {
    agent.pools(pool);
    agent.ready(1);
    return agent;
  }

  static Place place(DeciderHarness agent, String job) {
    return agent.poolPlace(job, "iris");
  }

  static WorkerKey worker(List<Effect> effects) {
    return only(effects, Effect.StartWorker.class).getLast().key();
  }

  static List<Effect> up(DeciderHarness agent, WorkerKey worker) {
    agent.to(new Input.Started(worker, new RunProcess(7, 5, "boot", 1, agent.now)));
    return agent.to(new Input.WorkerReady(worker, 0));
  }

  static List<Effect> startOf(DeciderHarness agent) {
    agent.pools(pool(1, 1, 0));
    return agent.to(new Input.Tick());
  }
}
