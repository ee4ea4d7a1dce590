package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.experiment.Best;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRules;
import io.stoker.dispatcher.experiment.ExperimentRules.Tally;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Progress;
import io.stoker.dispatcher.model.GroupEntry;
import io.stoker.dispatcher.model.GroupLimit;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.Numbers;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.store.Experiments;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Groups with a plan. */
record SimExperiments(SimTransaction tx) implements Experiments {
  @Override
  public Uni<List<ExperimentRow>> lockShared(Collection<String> groups) {
    return statement(
        () -> {
          if (!tx.has(Defect.JOIN_UNGUARDED)) {
            new TreeSet<>(groups).forEach(tx::enterGroup);
          }
          return new TreeSet<>(groups).stream().map(plans()::get).filter(Objects::nonNull).toList();
        });
  }

  private Map<String, ExperimentRow> plans() {
    return tx.tables().plans;
  }

  @Override
  public Uni<Map<String, GroupLimit>> limits(Collection<String> groups) {
    return statement(
        () -> {
          Map<String, GroupLimit> limits = new HashMap<>();
          for (String group : groups) {
            ExperimentRow row = plans().get(group);
            if (row != null && !tx.has(Defect.FORGET_PLANS)) {
              limits.put(group, ExperimentRules.limit(row, forgetful(tally(row))));
            }
          }
          return limits;
        });
  }

  private Tally forgetful(Tally tally) {
    return new Tally(
        tally.total(),
        tally.done(),
        tally.failed(),
        tx.has(Defect.FORGET_PARALLEL) ? 0 : tally.running(),
        tally.closed(),
        tally.mayBegin() || tx.has(Defect.FORGET_ORDER));
  }

  @Override
  public Uni<Optional<ExperimentRow>> find(String name) {
    return statement(() -> Optional.ofNullable(plans().get(name)));
  }

  @Override
  public Uni<Optional<ExperimentRow>> lock(String name) {
    return statement(
        () -> {
          Optional<ExperimentRow> row = Optional.ofNullable(plans().get(name));
          row.ifPresent(one -> tx.lockPlan(name));
          return row;
        });
  }

  @Override
  public Uni<List<Progress>> progress(Collection<String> names) {
    return statement(
        () ->
            names.stream().map(plans()::get).filter(Objects::nonNull).map(this::progress).toList());
  }

  @Override
  public Uni<List<Progress>> open() {
    return statement(
        () ->
            plans().values().stream()
                .filter(row -> row.endedAt() == null && !tx.has(Defect.FORGET_OPEN_PLANS))
                .map(this::progress)
                .toList());
  }

  private Progress progress(ExperimentRow row) {
    return new Progress(row, tally(row));
  }

  private Tally tally(ExperimentRow row) {
    GroupEntry counts = counts(row.name());
    String after = row.plan().after();
    boolean mayBegin =
        after == null
            || tx.tables().closed.contains(after)
                && counts(after).total() <= done(counts(after)) + waitForIt(after);
    return new Tally(
        counts.total(),
        done(counts),
        counts.failed(),
        running(row.name()),
        tx.tables().closed.contains(row.name()),
        mayBegin);
  }

  private GroupEntry counts(String group) {
    return tx.tables().counts.getOrDefault(group, Tables.nothingOf(group));
  }

  private static long done(GroupEntry counts) {
    return counts.succeeded() + counts.failed() + counts.cancelled();
  }

  /** What of a group shares jobs of those that come after it, if nothing of it runs. */
  private long waitForIt(String group) {
    Tables tables = tx.tables();
    return tx.has(Defect.WAIT_FOR_EACH_OTHER) || running(group) > 0
        ? 0
        : members(group)
            .filter(row -> row.attached() && !row.cached() && row.ended() == null)
            .map(row -> tables.jobs.get(row.job()))
            .filter(job -> job.state() == JobState.QUEUED)
            .map(job -> tables.requests.get(job.asked().firstRequest()))
            .filter(first -> first.ended() == null && comesAfter(first.group(), group))
            .count();
  }

  private boolean comesAfter(String group, String before) {
    ExperimentRow plan = group == null ? null : plans().get(group);
    return plan != null
        && plan.endedAt() == null
        && plan.plan().after() != null
        && (plan.plan().after().equals(before) || comesAfter(plan.plan().after(), before));
  }

  private int running(String group) {
    return (int)
        tx.tables().attempts.values().stream()
            .map(row -> tx.tables().jobs.get(row.job()))
            .filter(job -> tx.tables().groupsOf(job).equals(Set.of(group)))
            .map(JobRow::id)
            .distinct()
            .count();
  }

  @Override
  public Uni<Optional<String>> madeBy(String message) {
    return statement(
        () ->
            Optional.ofNullable(tx.tables().planMessages.get(message))
                .filter(name -> !tx.has(Defect.MAKE_GROUPS_AGAIN)));
  }

  @Override
  public Uni<Set<String>> taken(String name, boolean anyGroup) {
    return statement(
        () ->
            Stream.concat(
                    plans().keySet().stream(),
                    anyGroup ? tx.tables().counts.keySet().stream() : Stream.of())
                .filter(one -> one.startsWith(name))
                .collect(Collectors.toSet()));
  }

  @Override
  public Uni<List<String>> chain(String from) {
    return statement(
        () -> {
          List<String> chain = new ArrayList<>();
          ExperimentRow row = plans().get(from);
          while (row != null && row.plan().after() != null) {
            chain.add(row.plan().after());
            row = plans().get(row.plan().after());
          }
          return chain;
        });
  }

  @Override
  public Uni<Void> insert(ExperimentRow row, String creation) {
    return statement(
        () -> {
          tx.lockGroup(row.name());
          tx.write(
              () -> {
                plans().put(row.name(), row);
                tx.tables().planMessages.put(creation, row.name());
              });
          return null;
        });
  }

  @Override
  public Uni<Integer> takeLane(String name) {
    return statement(
        () -> {
          if (!tx.has(Defect.FORGET_LANES)) {
            tx.write(() -> tx.tables().lanes.replaceAll((job, lane) -> lane(job, lane, name)));
          }
          return 0;
        });
  }

  private String lane(String job, String lane, String name) {
    Tables tables = tx.tables();
    RequestRow first = tables.requests.get(tables.jobs.get(job).asked().firstRequest());
    return first != null
            && name.equals(first.group())
            && job.equals(first.job())
            && first.ended() == null
        ? name
        : lane;
  }

  @Override
  public Uni<Void> update(ExperimentRow row) {
    return statement(
        () -> {
          tx.holdPlan(row.name());
          tx.write(() -> plans().put(row.name(), row));
          return null;
        });
  }

  @Override
  public Uni<Optional<Best>> best(String group, Objective objective) {
    return statement(
        () -> {
          Comparator<Best> better = Comparator.comparingDouble(Best::score);
          return members(group)
              .filter(row -> row.ended() == null && row.job() != null)
              .flatMap(this::scored)
              .max(objective == Objective.MAX ? better : better.reversed());
        });
  }

  private Stream<Best> scored(RequestRow row) {
    return tx.tables().job(row).stream()
        .filter(job -> job.state() == JobState.SUCCEEDED)
        .flatMap(
            job ->
                Optional.ofNullable(job.result().text()).map(Numbers::score).stream()
                    .flatMap(score -> score.stream().boxed()))
        .map(score -> new Best(row.id(), score));
  }

  @Override
  public Uni<List<Member>> unended(String group, boolean waiting, Member after, int most) {
    return statement(
        () ->
            members(group)
                .filter(row -> row.ended() == null && !row.stopRequested())
                .filter(row -> tx.tables().job(row).map(ends(waiting)::test).orElse(true))
                .map(row -> new Member(row.seq(), row.id()))
                .sorted(Comparator.comparingLong(Member::seq).thenComparing(Member::id))
                .filter(
                    one ->
                        one.seq() > after.seq()
                            || one.seq() == after.seq() && one.id().compareTo(after.id()) > 0)
                .limit(tx.has(Defect.SPARE_STOPPED) ? 0 : most)
                .toList());
  }

  private static Predicate<JobRow> ends(boolean waiting) {
    return job ->
        switch (job.state()) {
          case QUEUED -> true;
          case PLACED -> !waiting || job.latest().host() == null;
          case RUNNING -> !waiting;
          default -> false;
        };
  }

  private Stream<RequestRow> members(String group) {
    return tx.tables().requests.values().stream()
        .filter(row -> !row.isPlaceholder() && group.equals(row.group()));
  }
}
