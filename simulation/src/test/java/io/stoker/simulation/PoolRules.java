package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.pool.PoolReport;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.message.Workload;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What must hold of the jobs that an agent gives to the workers of its pools, and of what it says
 * of them. Knows what was ever on one disk.
 */
final class PoolRules {
  private final World world;
  private final String machine;
  private final Map<AttemptKey, Place> accepted = new HashMap<>();
  private final Set<AttemptKey> started = new HashSet<>();
  private final Set<AttemptKey> given = new HashSet<>();
  private final Set<AttemptKey> begun = new HashSet<>();
  private final Map<AttemptKey, Outcome> ended = new HashMap<>();

  /** Pools that give nothing that waits to workers. */
  private final Set<String> closed = new HashSet<>();

  PoolRules(World world, String machine) {
    this.world = world;
    this.machine = machine;
  }

  /** An entry is in the journal. */
  void wrote(JournalEntry entry) {
    switch (entry) {
      case JournalEntry.Accepted taken when pool(taken.place()).isPresent() ->
          accepted.put(AttemptKey.of(taken.place()), taken.place());
      case JournalEntry.Started one -> started.add(new AttemptKey(one.job(), one.attempt()));
      case JournalEntry.Ended end -> {
        AttemptKey key = new AttemptKey(end.report().job(), end.report().attempt());
        if (accepted.containsKey(key)) {
          ended.put(key, end.report().outcome());
        }
      }
      default -> {}
    }
  }

  /** An entry went with the power. */
  void lost(JournalEntry entry) {
    switch (entry) {
      case JournalEntry.Accepted taken -> {
        AttemptKey key = AttemptKey.of(taken.place());
        accepted.remove(key);
        given.remove(key);
        begun.remove(key);
        ended.remove(key);
      }
      case JournalEntry.Started one -> started.remove(new AttemptKey(one.job(), one.attempt()));
      case JournalEntry.Ended end ->
          ended.remove(new AttemptKey(end.report().job(), end.report().attempt()));
      default -> {}
    }
  }

  private static Optional<String> pool(Place place) {
    return place.workload() instanceof Workload.PoolTask task
        ? Optional.of(task.pool())
        : Optional.empty();
  }

  /** A pool gives nothing more of what waits in it. */
  void closes(String pool) {
    closed.add(pool);
  }

  /** A pool takes jobs. */
  void serves(String pool) {
    closed.remove(pool);
  }

  /** Whether an attempt is one that a worker runs. */
  boolean isTask(AttemptKey key) {
    return accepted.containsKey(key);
  }

  /** The placement of a job that a worker is told of. */
  Place accepted(AttemptKey key) {
    Place place = accepted.get(key);
    hold(place != null, "%s is given to a worker on %s, which has not accepted it", key, machine);
    return place;
  }

  /** A worker that is there is told of a job. */
  Place gives(AttemptKey key) {
    Place place = accepted(key);
    String pool = pool(place).orElseThrow();
    world.check(
        () -> {
          hold(
              started.contains(key),
              "%s is given to a worker on %s before that is in the journal",
              key,
              machine);
          hold(
              !closed.contains(pool),
              "%s is given to a worker on %s, and pool %s was closed",
              key,
              machine,
              pool);
        });
    if (!given.add(key)) {
      world.poolSights = world.poolSights.and(PoolSights.HANDED_BACK);
    }
    return place;
  }

  /** A worker begins a job. */
  void begins(AttemptKey key) {
    world.check(() -> hold(begun.add(key), "%s begins a second time on %s", key, machine));
  }

  /** What an agent says of its pools when all is at rest. */
  void atRest(List<PoolReport> reports, SimWorkers workers) {
    for (PoolReport report : reports) {
      List<Outcome> ends =
          ended.entrySet().stream()
              .filter(end -> pool(accepted.get(end.getKey())).equals(Optional.of(report.name())))
              .map(Map.Entry::getValue)
              .toList();
      long failed =
          ends.stream().filter(how -> how == Outcome.FAILED || how == Outcome.LOST).count();
      hold(
          report.processed() == ends.size() && report.failed() == failed,
          "pool %s on %s has ended %s jobs, of them %s badly, and says %s",
          report.name(),
          machine,
          ends.size(),
          failed,
          report);
      hold(
          report.idle() && report.delivered() == report.processed(),
          "pool %s on %s is at rest, and says %s",
          report.name(),
          machine,
          report);
      long up = workers.alive().filter(one -> one.key().pool().equals(report.name())).count();
      hold(
          up == report.workers() && report.crashes() <= workers.ends(report.name()),
          "%s workers of pool %s on %s are up, %s have ended, and it says %s",
          up,
          report.name(),
          machine,
          workers.ends(report.name()),
          report);
    }
  }
}
