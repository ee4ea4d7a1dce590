package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.agent.attempt.RunEnd;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.GroupBudget;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.Set;

/** What must hold of jobs, and of their retries, at each commit. */
final class JobRules {
  /** By then, in ms after the rough time, who asks for what can be served is. */
  static final long NEEDS_SETTLED = 60_000;

  private final World world;
  private final Tables tables;
  private final List<Machine> machines;
  private final RequestRules requestRules;
  private final Map<String, Integer> attempts = new HashMap<>();
  private final Map<String, Integer> failures = new HashMap<>();
  private long retriesOfGroup;

  JobRules(World world, Tables tables, List<Machine> machines, RequestRules requestRules) {
    this.machines = machines;
    this.world = world;
    this.tables = tables;
    this.requestRules = requestRules;
  }

  /** The tables are as they were before. */
  void restored() {
    attempts.clear();
    failures.clear();
    tables.jobs.values().forEach(job -> failures.put(job.id(), counted(job)));
    retriesOfGroup = tables.budgets.get(Settings.GROUP).used();
  }

  void check(UnitOfWork unit) {
    Set<String> requests = new LinkedHashSet<>();
    unit.requests().inserted().forEach(row -> requests.add(row.id()));
    unit.requests().updated().forEach(row -> requests.add(row.id()));
    List<JobRow> jobs = new ArrayList<>(unit.jobs().inserted());
    jobs.addAll(unit.jobs().updated());
    for (JobRow job : jobs) {
      int last = attempts.getOrDefault(job.id(), 0);
      hold(
          job.latest().number() >= last,
          "the attempt of job %s falls to %s",
          job.id(),
          job.latest().number());
      attempts.put(job.id(), job.latest().number());
      hold(
          !Strangers.FORGED.equals(job.result().text()),
          "an end of job %s is believed that was forged",
          job.id());
      Words.holdStorable("job " + job.id(), job.reason());
      Words.holdStorableJson("job " + job.id(), job.result().text());
      checkLine(tables.jobs.get(job.id()));
      countRetries(job);
      checkEnd(job);
      tables.requests.values().stream()
          .filter(row -> job.id().equals(row.job()))
          .forEach(row -> requests.add(row.id()));
      world.note(
          "database",
          "job "
              + job.id()
              + " "
              + job.state()
              + " "
              + job.role()
              + (job.ending() ? " ending" : "")
              + " attempt "
              + job.latest().number()
              + " "
              + job.reason());
    }
    unit.intermediates().forEach(row -> Words.holdStorableJson("job " + row.job(), row.result()));
    unit.attempts().updated().forEach(this::checkShown);
    checkBudget();
    requests.stream()
        .map(tables.requests::get)
        .filter(Objects::nonNull)
        .forEach(requestRules::check);
  }

  /** Whoever follows a job's status sees that it runs. */
  private void checkShown(AttemptRow attempt) {
    JobState shown = tables.jobs.get(attempt.job()).state();
    hold(
        attempt.state() != AttemptRow.State.RUNNING || shown == JobState.RUNNING,
        "attempt %s runs, and its job is %s",
        attempt.key(),
        shown);
  }

  /** It waited for an equal job to end, which has succeeded for both. */
  private boolean answeredByAnEqualOne(JobRow job) {
    return job.latest().number() == 0
        && tables.jobs.values().stream()
            .anyMatch(
                other ->
                    other.latest().number() > 0
                        && other.state() == JobState.SUCCEEDED
                        && other.fingerprint().equals(job.fingerprint()));
  }

  /** What is said of its end, one of its processes has done. */
  private void checkEnd(JobRow job) {
    List<RunEnd> ends =
        machines.stream().flatMap(machine -> machine.ends(job.id()).stream()).toList();
    List<RunEnd> good =
        ends.stream().filter(end -> end.exitCode().equals(OptionalInt.of(0))).toList();
    hold(
        job.state() != JobState.SUCCEEDED || !good.isEmpty() || answeredByAnEqualOne(job),
        "job %s has SUCCEEDED, and none of its processes has",
        job.id());
    int blamed = job.setbacks().failures().getOrDefault(FailureCategory.APP, 0);
    hold(
        blamed <= ends.size(),
        "job %s has failed by itself %s times, and its processes %s times",
        job.id(),
        blamed,
        ends.size());
    hold(
        blamed <= ends.size() - good.size()
            || !PoolWorkload.isTask(job) && !StagedWorkload.isStaged(job),
        "job %s has failed by itself %s times, and its workers or processes %s times",
        job.id(),
        blamed,
        ends.size() - good.size());
    int ranOut =
        job.setbacks().failures().getOrDefault(FailureCategory.GPU_OOM, 0)
            + job.setbacks().failures().getOrDefault(FailureCategory.HOST_OOM, 0);
    long ended = ends.stream().filter(end -> end.category().isPresent()).count();
    hold(
        ranOut <= ended || !StagedWorkload.isStaged(job),
        "staged job %s has run out of memory %s times, and %s of its processes ended of that",
        job.id(),
        ranOut,
        ended);
    hold(
        job.state() != JobState.SUCCEEDED
            || job.latest().gang() != null
            || job.result().text() != null
            || good.stream().anyMatch(end -> end.result().isEmpty()),
        "job %s has SUCCEEDED without the result of its process",
        job.id());
  }

  /** A queued job stands in line or waits for its next attempt, and not both. */
  private void checkLine(JobRow job) {
    boolean inLine = tables.ready.containsKey(job.id());
    boolean waits = tables.backoffs.containsKey(job.id());
    boolean queued = job.state() == JobState.QUEUED && job.role() != JobRow.Role.SUCCESSOR;
    hold(
        queued ? inLine != waits : !inLine && !waits,
        "job %s is %s, in line %s, waits %s",
        job.id(),
        job.state(),
        inLine,
        waits);
    hold(
        waits == (job.retryAt() != null),
        "job %s waits %s, but its row says %s",
        job.id(),
        waits,
        job.retryAt());
  }

  /** Nobody waits behind an equal that nothing can serve. */
  void checkNeeds() {
    for (JobRow job : tables.jobs.values()) {
      boolean hopeless =
          job.state() == JobState.QUEUED
              && job.role() == JobRow.Role.HOLDER
              && !Shape.parse(job.asked().shape()).avoid().isEmpty();
      List<String> others =
          tables.requests.values().stream()
              .filter(row -> job.id().equals(row.job()) && row.ended() == null)
              .filter(
                  row ->
                      StoredRequest.readable(row)
                          .filter(request -> !Workload.hopeless(request))
                          .isPresent())
              .map(RequestRow::id)
              .toList();
      hold(!hopeless || others.isEmpty(), "%s waits behind an equal that nobody serves", others);
    }
  }

  private void countRetries(JobRow job) {
    int counted = counted(job);
    boolean failed = counted > failures.getOrDefault(job.id(), 0);
    failures.put(job.id(), counted);
    String group = tables.requests.get(job.asked().firstRequest()).group();
    if (failed && job.state() == JobState.QUEUED && Settings.GROUP.equals(group)) {
      retriesOfGroup++;
    }
  }

  private static int counted(JobRow job) {
    return job.setbacks().failures().entrySet().stream()
        .filter(entry -> entry.getKey() != FailureCategory.HOST_LOST)
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  private void checkBudget() {
    GroupBudget budget = tables.budgets.get(Settings.GROUP);
    hold(
        budget.used() == retriesOfGroup && budget.used() <= budget.retries(),
        "the group's jobs were tried again %s times, and its limit is %s",
        retriesOfGroup,
        budget);
  }
}
