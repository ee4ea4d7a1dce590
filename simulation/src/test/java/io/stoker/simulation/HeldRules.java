package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** What must hold of what hosts hold behind their CPU slots. */
final class HeldRules {
  /** It starts within this, or is called back, ms. */
  private static final long LONGEST = 12_000;

  private final World world;
  private final Tables tables;
  private final ProcessRules processes;
  private final Map<AttemptRow.Key, Long> since = new HashMap<>();

  HeldRules(World world, Tables tables, ProcessRules processes) {
    this.world = world;
    this.tables = tables;
    this.processes = processes;
  }

  /**
   * Nothing waits on for long that was expected to start soon.
   *
   * @param reachable hosts whose agents hear what they are told
   */
  void look(Set<String> reachable) {
    Map<AttemptRow.Key, Long> still = new HashMap<>();
    for (AttemptRow row : tables.attempts.values()) {
      JobRow job = tables.jobs.get(row.job());
      if (job.ahead()
          && !job.ending()
          && reachable.contains(row.host())
          && !processes.hasBegun(row.job(), row.number())) {
        long from = since.getOrDefault(row.key(), world.now());
        still.put(row.key(), from);
        hold(
            world.now() - from <= LONGEST,
            "attempt %s of job %s is held behind the slots of %s for %s ms",
            row.number(),
            row.job(),
            row.host(),
            world.now() - from);
      }
    }
    since.clear();
    since.putAll(still);
  }

  /**
   * Nobody is told that something runs that has not begun. What is given to a worker of a pool is
   * said to run: whether the worker has taken it is not known when its agent dies.
   */
  void published(RequestStatus status) {
    hold(
        status.state() != RequestState.RUNNING
            || processes.hasBegun(status.job(), status.attempt())
            || PoolWorkload.isTask(tables.jobs.get(status.job())),
        "request %s is shown as running, and attempt %s of its job %s has not begun",
        status.id(),
        status.attempt(),
        status.job());
  }
}
