package io.stoker.simulation;

import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What came up in a run.
 *
 * @param preemptions how often a job made room for another one
 * @param gpuOoms attempts that ran out of GPU memory
 * @param hostOoms attempts that ran out of their host's
 * @param shared attempts that were promised a part of a GPU
 * @param trials attempts on suspect hosts
 * @param flapping attempts on hosts that come and go
 * @param immediate attempts that were opened by who took their jobs in
 * @param joined attempts that were opened by who closed others
 * @param moved attempts that were told to leave a drained host
 * @param setAside requests that ended since what is to be done for them fails each time
 * @param heard how often a replica heard of a host from another one
 * @param refused hellos of agents whose host's name was another one's
 * @param left attempts that an agent which said hello did not hold
 * @param large jobs that succeeded though no record took their placements
 * @param restores how often the database was put back as it was before
 * @param held attempts that were placed behind CPU slots
 * @param calledBack attempts that were called back from there
 * @param tooLarge requests and jobs that ended since they could not be sent, and their inputs
 * @param pools what came up with pools of workers
 * @param stages what came up with staged jobs, how often
 * @param plans how groups with a plan ended, how often
 */
record Sights(
    int preemptions,
    int gpuOoms,
    int hostOoms,
    int shared,
    int trials,
    int flapping,
    int immediate,
    int joined,
    int moved,
    int setAside,
    int heard,
    int refused,
    int left,
    int large,
    int restores,
    int held,
    int calledBack,
    int tooLarge,
    PoolSights pools,
    Map<StageSight, Integer> stages,
    Map<ExperimentRow.State, Integer> plans) {
  static final Sights NONE =
      new Sights(
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          0,
          PoolSights.NONE,
          Map.of(),
          Map.of());

  static Sights of(World world, Tables tables, PlacementRules placements, SimReplicaPubSub pubSub) {
    Collection<JobRow> jobs = tables.jobs.values();
    return new Sights(
        jobs.stream().mapToInt(job -> job.setbacks().preemptions()).sum(),
        failed(jobs, FailureCategory.GPU_OOM),
        failed(jobs, FailureCategory.HOST_OOM),
        placements.shared(),
        placements.trials(),
        placements.flapping(),
        placements.immediate(),
        placements.joined(),
        placements.moved(),
        (int) tables.requests.values().stream().filter(row -> row.code() == Code.SET_ASIDE).count(),
        pubSub.heard(),
        world.refusals,
        world.leftBehind,
        (int) jobs.stream().filter(job -> large(tables, job)).count(),
        world.restores,
        placements.held(),
        placements.calledBack(),
        (int) jobs.stream().filter(job -> job.code() == Code.TOO_LARGE).count()
            + (int)
                tables.requests.values().stream()
                    .filter(row -> row.code() == Code.TOO_LARGE)
                    .count(),
        world.poolSights.reset(
            (int) jobs.stream().filter(job -> job.code() == Code.POOL_RESET).count()),
        Map.copyOf(world.stageSights),
        tables.plans.values().stream()
            .collect(Collectors.toMap(ExperimentRow::state, row -> 1, Integer::sum)));
  }

  private static boolean large(Tables tables, JobRow job) {
    RequestRow first = tables.requests.get(job.asked().firstRequest());
    return job.state() == JobState.SUCCEEDED
        && first != null
        && first.spec() != null
        && first.spec().length() > Settings.SENDS.record();
  }

  private static int failed(Collection<JobRow> jobs, FailureCategory category) {
    return jobs.stream().mapToInt(job -> job.setbacks().failures().getOrDefault(category, 0)).sum();
  }

  private static <K> Map<K, Integer> sum(Map<K, Integer> one, Map<K, Integer> other) {
    Map<K, Integer> sum = new TreeMap<>(one);
    other.forEach((sight, times) -> sum.merge(sight, times, Integer::sum));
    return sum;
  }

  Sights and(Sights other) {
    return new Sights(
        preemptions + other.preemptions,
        gpuOoms + other.gpuOoms,
        hostOoms + other.hostOoms,
        shared + other.shared,
        trials + other.trials,
        flapping + other.flapping,
        immediate + other.immediate,
        joined + other.joined,
        moved + other.moved,
        setAside + other.setAside,
        heard + other.heard,
        refused + other.refused,
        left + other.left,
        large + other.large,
        restores + other.restores,
        held + other.held,
        calledBack + other.calledBack,
        tooLarge + other.tooLarge,
        pools.and(other.pools),
        sum(stages, other.stages),
        sum(plans, other.plans));
  }
}
