package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.GroupEntry;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** What must hold of groups: of what they count, and of what starts of those with a plan. */
final class PlanRules {
  private final Tables tables;

  /** Those that may have begun, since the one has ended that they come after. */
  private final Set<String> begun = new HashSet<>();

  private final Map<String, String> made = new HashMap<>();
  private final Map<String, ExperimentRow.State> over = new HashMap<>();

  PlanRules(Tables tables) {
    this.tables = tables;
  }

  /** Whether a group ends its requests before their time. */
  static boolean ends(Tables tables, String group) {
    ExperimentRow plan = group == null ? null : tables.plans.get(group);
    return plan != null && plan.state().closedToNew();
  }

  /** The tables are as they were before. */
  void restored() {
    begun.clear();
    made.clear();
    over.clear();
  }

  void check(SimTransaction transaction, UnitOfWork unit) {
    for (AttemptRow opened : unit.attempts().inserted()) {
      checkStart(transaction, tables.jobs.get(opened.job()));
    }
    for (RequestRow row : unit.requests().inserted()) {
      checkJoined(row);
    }
    for (RequestRow row : unit.requests().updated()) {
      if (unit.requests().before(row.id()).filter(RequestRow::isPlaceholder).isPresent()) {
        checkJoined(row);
      }
    }
  }

  private void checkJoined(RequestRow row) {
    hold(
        row.isPlaceholder() || row.ended() != null || !ends(tables, row.group()),
        "request %s is taken into group %s, which ends",
        row.id(),
        row.group());
  }

  /** Goes by what the group's plan was when who placed the job looked at it. */
  private void checkStart(SimTransaction transaction, JobRow job) {
    Set<String> groups = tables.groupsOf(job);
    String group = groups.iterator().next();
    ExperimentRow plan = transaction.plansSeen().get(group);
    if (groups.size() > 1 || plan == null || plan.state().over()) {
      return;
    }
    hold(
        plan.state() == ExperimentRow.State.RUNNING,
        "job %s of group %s starts, which is %s",
        job.id(),
        group,
        plan.state());
    hold(
        plan.plan().after() == null || begun.contains(group),
        "job %s of group %s starts before the one has ended that it comes after",
        job.id(),
        group);
    Integer most = plan.plan().parallel();
    hold(
        most == null || running(group) <= most,
        "job %s of group %s starts, which has as many jobs as it may: %s",
        job.id(),
        group,
        most);
  }

  private long running(String group) {
    return tables.attempts.values().stream()
        .map(row -> tables.jobs.get(row.job()))
        .filter(job -> tables.groupsOf(job).equals(Set.of(group)))
        .map(JobRow::id)
        .distinct()
        .count();
  }

  /** After each commit. */
  void check() {
    tables.planMessages.forEach(
        (message, group) -> {
          String before = made.putIfAbsent(message, group);
          hold(
              before == null || before.equals(group),
              "message %s makes a second group: %s, after %s",
              message,
              group,
              before);
        });
    for (ExperimentRow row : tables.plans.values()) {
      if (mayBegin(row)) {
        begun.add(row.name());
      }
      ExperimentRow.State before = over.get(row.name());
      hold(
          before == null || before == row.state(),
          "group %s was %s for good, and is now %s",
          row.name(),
          before,
          row.state());
      if (row.state().over()) {
        over.put(row.name(), row.state());
      }
    }
  }

  private boolean mayBegin(ExperimentRow row) {
    String after = row.plan().after();
    return after == null
        || tables.closed.contains(after)
            && tables.requests.values().stream()
                .filter(one -> after.equals(one.group()))
                .allMatch(one -> tables.state(one).terminal() || waitsFor(one, after));
  }

  /** It shares a job that waits until its own group has ended. */
  private boolean waitsFor(RequestRow row, String after) {
    return row.job() != null
        && tables.job(row).filter(job -> job.state() == JobState.QUEUED).isPresent()
        && tables.groupsOf(tables.jobs.get(row.job())).stream()
            .map(tables.plans::get)
            .filter(Objects::nonNull)
            .anyMatch(plan -> after.equals(plan.plan().after()));
  }

  /** A group with a plan that has not ended, though all are closed in the end. */
  Optional<String> unrest() {
    return tables.plans.values().stream()
        .filter(row -> !row.state().over())
        .findFirst()
        .map(row -> "group " + row.name() + " is " + row.state());
  }

  /** When all is at rest: what is counted of groups is what they have. */
  void atRest() {
    Map<String, GroupEntry> actual = new HashMap<>();
    tables.requests.values().stream()
        .filter(row -> !row.isPlaceholder() && row.group() != null)
        .forEach(
            row -> {
              GroupEntry ended = GroupEntry.ended(row.group(), tables.state(row), 1, 0);
              actual.merge(row.group(), ended, GroupEntry::plus);
              actual.merge(row.group(), GroupEntry.arrived(row.group(), 0), GroupEntry::plus);
            });
    tables.counts.forEach(
        (group, counted) -> {
          GroupEntry has = actual.getOrDefault(group, Tables.nothingOf(group));
          GroupEntry said =
              new GroupEntry(
                  group,
                  counted.total(),
                  counted.succeeded(),
                  counted.failed(),
                  counted.cancelled(),
                  has.at());
          hold(said.equals(has), "group %s counts %s, and has %s", group, said, has);
        });
    for (ExperimentRow row : tables.plans.values()) {
      hold(
          row.state() != ExperimentRow.State.FAILED
              || tables.requests.values().stream()
                  .filter(one -> Objects.equals(one.group(), row.name()))
                  .anyMatch(one -> tables.state(one) == RequestState.FAILED),
          "group %s has FAILED, and none of its requests has",
          row.name());
    }
  }
}
