package io.stoker.dispatcher.coordinator.experiment;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.experiment.EarlyStopRules;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Reached;
import io.stoker.dispatcher.experiment.Standing;
import io.stoker.dispatcher.model.IntermediateRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Store;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Has jobs judged that gave intermediate results, and ends those that are worse than their peers.
 * Which step a job was judged at is in the store, so that each counts once whichever replica hears
 * of it; what was not judged because a replica died is made up for at the job's next result.
 */
public final class EarlyStopper {
  private static final System.Logger LOG = System.getLogger(EarlyStopper.class.getName());

  /** A job that takes longer to be judged goes on. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Reading how a group stands is worth it for several of its jobs at once. */
  private static final long APART_NANOS = Duration.ofMillis(100).toNanos();

  private final Environment environment;
  private final Store store;
  private final Ends ends;
  private final CoalescingTask task;
  private final Map<String, Set<String>> heard = new HashMap<>();
  private final Judging judging;

  public EarlyStopper(Environment environment, Store store, Ends ends) {
    judging =
        new Judging(
            EarlyStopRules::judge,
            PATIENCE,
            environment.timer(),
            said -> LOG.log(Level.WARNING, said));
    task = new CoalescingTask("early stopping", environment, this::judgeAll, () -> APART_NANOS);
    this.environment = environment;
    this.store = store;
    this.ends = ends;
  }

  /** Has jobs judged of which a transaction took results. */
  public void note(UnitOfWork unit) {
    if (unit.intermediates().isEmpty()) {
      return;
    }
    synchronized (heard) {
      unit.intermediates().stream()
          .map(IntermediateRow::job)
          .distinct()
          .forEach(
              job ->
                  group(unit, job)
                      .ifPresent(
                          group -> heard.computeIfAbsent(group, name -> new TreeSet<>()).add(job)));
    }
    task.wake();
  }

  private static Optional<String> group(UnitOfWork unit, String job) {
    return unit.jobs()
        .find(job)
        .map(one -> one.asked().firstRequest())
        .flatMap(unit.requests()::find)
        .map(RequestRow::group);
  }

  private Uni<Boolean> judgeAll() {
    Map<String, Set<String>> groups;
    synchronized (heard) {
      groups = Map.copyOf(heard);
      heard.clear();
    }
    return inTurn(
            groups.entrySet().stream(),
            one ->
                apart(
                    "early stopping in group " + one.getKey(),
                    () -> judgeGroup(one.getKey(), one.getValue())))
        .replaceWith(false);
  }

  /** One that cannot be judged goes on, and keeps no other one from being judged. */
  private Uni<Void> apart(String what, Supplier<Uni<Void>> work) {
    return Uni.createFrom()
        .deferred(() -> work.get())
        .onFailure()
        .invoke(error -> environment.failed(what, error))
        .onFailure()
        .recoverWithNull();
  }

  private Uni<Void> judgeGroup(String group, Set<String> jobs) {
    return store
        .read(tx -> tx.experiments().find(group))
        .map(
            row ->
                row.filter(one -> judges(one.state()))
                    .map(ExperimentRow::plan)
                    .filter(plan -> plan.stopping() != null))
        .chain(
            plan ->
                plan.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : store
                        .read(tx -> tx.intermediates().reached(jobs))
                        .chain(reached -> judgeDue(group, plan.get(), reached)));
  }

  /** Of one that ends after a failure, what still runs is judged, too. */
  private static boolean judges(ExperimentRow.State state) {
    return state == ExperimentRow.State.RUNNING || state == ExperimentRow.State.FAILING;
  }

  /** Jobs at one step are judged by one reading of how all stood there. */
  private Uni<Void> judgeDue(String group, Plan plan, List<Reached> reached) {
    Map<Integer, Map<String, Reached>> due = new TreeMap<>();
    for (Reached job : reached) {
      EarlyStopRules.step(plan.stopping(), job.results()).stream()
          .filter(step -> step > job.judged())
          .forEach(step -> due.computeIfAbsent(step, none -> new TreeMap<>()).put(job.job(), job));
    }
    return inTurn(due.entrySet().stream(), at -> judgeAt(group, plan, at.getKey(), at.getValue()));
  }

  private Uni<Void> judgeAt(String group, Plan plan, int step, Map<String, Reached> jobs) {
    return standings(group, step)
        .chain(
            all ->
                all.size() == 1 && jobs.containsKey(all.getFirst().job())
                    ? judgeAhead(group, plan, jobs.get(all.getFirst().job()))
                    : judge(plan, step, jobs.keySet(), all));
  }

  /**
   * One that is ahead of all others is judged at the last step to which another got. It may have
   * come there long ago: results that are heard together, as after a take-over, are judged by the
   * last one of them.
   */
  private Uni<Void> judgeAhead(String group, Plan plan, Reached own) {
    return store
        .read(tx -> tx.intermediates().furthestOther(group, own.job()))
        .map(results -> EarlyStopRules.step(plan.stopping(), Math.min(results, own.results())))
        .chain(
            step ->
                step.isEmpty() || step.getAsInt() <= own.judged()
                    ? Uni.createFrom().voidItem()
                    : standings(group, step.getAsInt())
                        .chain(all -> judge(plan, step.getAsInt(), Set.of(own.job()), all)));
  }

  private Uni<List<Standing>> standings(String group, int step) {
    return store.read(tx -> tx.intermediates().standings(group, step));
  }

  private Uni<Void> judge(Plan plan, int step, Set<String> jobs, List<Standing> all) {
    List<Standing> due =
        all.stream().filter(own -> jobs.contains(own.job()) && own.end().isEmpty()).toList();
    return due.isEmpty()
        ? Uni.createFrom().voidItem()
        : store
            .transaction(
                "early stopping",
                tx -> tx.intermediates().first(due.stream().map(Standing::job).toList(), step))
            .chain(
                first ->
                    inTurn(
                        due.stream().filter(own -> first.contains(own.job())),
                        own ->
                            apart(
                                "early stopping of job " + own.job(),
                                () -> judge(plan, own, step, all))));
  }

  private Uni<Void> judge(Plan plan, Standing own, int step, List<Standing> all) {
    return scores(plan, own, step)
        .chain(scores -> judging.judge(plan, own, scores, all))
        .chain(why -> why.isEmpty() ? Uni.createFrom().voidItem() : stop(own.job(), why.get()));
  }

  /** One after the other, however many. */
  private static <T> Uni<Void> inTurn(Stream<T> all, Function<T, Uni<Void>> work) {
    return Multi.createFrom()
        .items(all)
        .onItem()
        .transformToUniAndConcatenate(one -> work.apply(one))
        .onItem()
        .ignoreAsUni();
  }

  private Uni<double[]> scores(Plan plan, Standing own, int step) {
    return EarlyStopRules.wantsScores(plan.stopping())
        ? store.read(tx -> tx.intermediates().scores(own.job(), step))
        : Uni.createFrom().item(new double[0]);
  }

  private Uni<Void> stop(String job, String why) {
    LOG.log(Level.INFO, "job %s is stopped early: %s".formatted(job, why));
    Verdict verdict = new Verdict(RequestState.CANCELLED, Code.EARLY_STOPPED, why);
    return store
        .read(tx -> tx.jobs().read(List.of(job)))
        .chain(
            rows ->
                rows.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : stop(rows.get(0).asked().firstRequest(), verdict));
  }

  private Uni<Void> stop(String request, Verdict verdict) {
    return ends.commit(
        "early stopping",
        tx -> tx.loadRequests(List.of(request)),
        unit -> Cancellation.cancel(unit, request, verdict));
  }
}
