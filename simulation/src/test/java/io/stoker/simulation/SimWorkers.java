package io.stoker.simulation;

import io.stoker.agent.attempt.RunEnd;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.simulation.Machine.Run;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The workers of a machine's pools: the processes that are there, and those that were. */
final class SimWorkers {
  private final Map<WorkerKey, SimWorker> all = new LinkedHashMap<>();

  /** How many processes of each pool have ended, however that was. */
  private final Map<String, Integer> ends = new HashMap<>();

  void add(SimWorker worker) {
    all.values().removeIf(SimWorker::over);
    all.put(worker.key(), worker);
  }

  Optional<SimWorker> find(WorkerKey key) {
    return Optional.ofNullable(all.get(key));
  }

  Stream<SimWorker> all() {
    return all.values().stream();
  }

  Stream<SimWorker> alive() {
    return all().filter(SimWorker::alive);
  }

  /** The jobs that they run. */
  Stream<Run> tasks() {
    return all().flatMap(worker -> worker.running().stream());
  }

  void ended(WorkerKey key) {
    ends.merge(key.pool(), 1, Integer::sum);
  }

  /** How many processes of a pool have ended. */
  int ends(String pool) {
    return ends.getOrDefault(pool, 0);
  }

  /** In how many ms nothing will be left of one on its devices. */
  long cleanIn(WorkerKey key) {
    return find(key).map(SimWorker::cleanIn).orElse(1L);
  }

  /** Their time is up. */
  void kill() {
    List.copyOf(all.values()).forEach(worker -> worker.kill(RunEnd.exit(137)));
  }

  /** No process is left: the machine has no power, or the next agent has ended them. */
  void clear() {
    alive().forEach(worker -> ended(worker.key()));
    all().forEach(SimWorker::endUnheard);
    all.clear();
  }
}
