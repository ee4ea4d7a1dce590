package io.stoker.dispatcher.coordinator.experiment;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.experiment.ExperimentRules;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Progress;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Experiments.Member;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes and ends groups with a plan. What is decided of them follows from their rows and counts
 * alone, so that any replica may go on where another one stopped; the scheduler looks each second
 * at those that have not ended.
 */
public final class ExperimentLifecycle {
  private static final System.Logger LOG = System.getLogger(ExperimentLifecycle.class.getName());

  /** Requests that one transaction ends. */
  static final int CHUNK = 100;

  /** Of a group, until others have their turn. */
  static final int CHUNKS = 10;

  /**
   * Between two rounds over what is to end, so that a large group leaves the database to others.
   */
  private static final long APART_NANOS = Duration.ofMillis(20).toNanos();

  private final Store store;
  private final Ends ends;
  private final CoalescingTask task;

  /** Up to where groups have been ended of which there may be more. */
  private final Map<String, Member> reached = new ConcurrentHashMap<>();

  private volatile boolean more;

  private final Isolation<Progress> groups;

  public ExperimentLifecycle(Environment environment, Store store, Ends ends, SetAsides asides) {
    task = new CoalescingTask("groups with a plan", environment, this::look, () -> APART_NANOS);
    groups =
        asides.isolation(
            "groups with a plan", one -> one.row().name(), one -> follow(one.getFirst()));
    this.store = store;
    this.ends = ends;
  }

  /**
   * Makes a group with a plan. The same message makes one once.
   *
   * @param apart whether the name of a group without a plan counts as taken, too: else requests
   *     that named it before belong to it
   * @return its name; nothing if it would wait for itself
   */
  public Uni<Optional<String>> create(String message, String name, Plan plan, boolean apart) {
    return store.transaction(
        "experiments",
        tx ->
            tx.experiments()
                .madeBy(message)
                .chain(
                    made ->
                        made.isPresent()
                            ? Uni.createFrom().item(made)
                            : make(tx, message, name, plan, apart)));
  }

  private static Uni<Optional<String>> make(
      Transaction tx, String message, String name, Plan plan, boolean apart) {
    return tx.experiments()
        .taken(ExperimentRules.stem(name), apart)
        .map(taken -> ExperimentRules.free(name, taken))
        .chain(
            free ->
                waitsForItself(tx, free, plan)
                    .chain(
                        circle ->
                            circle
                                ? Uni.createFrom().item(Optional.empty())
                                : insert(tx, message, free, plan)));
  }

  /** Two at once could each close one half of a circle without seeing the other's. */
  private static Uni<Boolean> waitsForItself(Transaction tx, String name, Plan plan) {
    return plan.after() == null
        ? Uni.createFrom().item(false)
        : tx.dependencies()
            .lockCycles()
            .chain(() -> tx.experiments().chain(plan.after()))
            .map(chain -> plan.after().equals(name) || chain.contains(name));
  }

  private static Uni<Optional<String>> insert(
      Transaction tx, String message, String name, Plan plan) {
    return tx.now()
        .chain(
            now ->
                tx.experiments()
                    .insert(
                        new ExperimentRow(name, plan, State.RUNNING, null, now, null, null, null),
                        message))
        .chain(() -> tx.groups().create(name))
        .chain(() -> tx.experiments().takeLane(name))
        .replaceWith(Optional.of(name));
  }

  /**
   * Ends all of a group; one that is not known yet, when its requests arrive.
   *
   * @return what is wrong with the message, if anything is
   */
  public Uni<Optional<String>> stop(String message, String name) {
    return store
        .transaction(
            "experiments",
            tx ->
                tx.experiments()
                    .lock(name)
                    .chain(
                        row ->
                            row.isPresent()
                                ? stop(tx, row.get()).replaceWith(Optional.<String>empty())
                                : stopUnplanned(tx, message, name)))
        .call(() -> look(name));
  }

  private static Uni<Void> stop(Transaction tx, ExperimentRow row) {
    return ExperimentRules.stopped(row)
        .map(stopped -> tx.experiments().update(stopped))
        .orElseGet(() -> Uni.createFrom().voidItem());
  }

  /** An id has its effect on one group alone: the row of that one is kept under it. */
  private static Uni<Optional<String>> stopUnplanned(Transaction tx, String message, String name) {
    return tx.experiments()
        .madeBy(message)
        .chain(
            other ->
                other.isPresent()
                    ? Uni.createFrom()
                        .item(
                            Optional.of(
                                "id: %s is that of a message about group %s, expected one of the message's own"
                                    .formatted(message, other.get())))
                    : tx.now()
                        .chain(now -> insertStopped(tx, message, name, now))
                        .replaceWith(Optional.empty()));
  }

  private static Uni<Integer> insertStopped(Transaction tx, String message, String name, long now) {
    ExperimentRow running =
        new ExperimentRow(name, Plan.plain(null), State.RUNNING, null, now, null, null, null);
    ExperimentRow stopped = ExperimentRules.stopped(running).orElseThrow();
    return tx.experiments()
        .insert(stopped, message)
        .chain(() -> tx.groups().create(name))
        .chain(() -> tx.experiments().takeLane(name));
  }

  /** Looks at all that have not ended; called by the replica that schedules. */
  public void wake() {
    task.wake();
  }

  public void stop() {
    task.stop();
  }

  private Uni<Boolean> look() {
    more = false;
    return store
        .read(tx -> tx.experiments().open())
        .invoke(
            open -> reached.keySet().retainAll(open.stream().map(one -> one.row().name()).toList()))
        .chain(groups::each)
        .map(done -> more);
  }

  /** Looks at one, and leaves what one turn does not end of it to the scheduler. */
  public Uni<Void> look(String name) {
    return store
        .read(tx -> tx.experiments().progress(List.of(name)))
        .chain(standings -> InOrder.each(standings, this::follow))
        .invoke(() -> reached.remove(name));
  }

  /** Ends what is to be ended of it, and the group itself once that has. */
  private Uni<Void> follow(Progress one) {
    // The store's clock is asked where it counts, in the transaction.
    boolean changes =
        ExperimentRules.next(one.row(), one.tally(), one.row().createdAt()).isPresent();
    Uni<ExperimentRow> row = changes ? advance(one.row().name()) : Uni.createFrom().item(one.row());
    return row.chain(
        now ->
            switch (now.state()) {
              case STOPPING -> endRequests(now, false);
              case FAILING -> endRequests(now, true);
              case RUNNING, FINISHED, FAILED, STOPPED -> Uni.createFrom().voidItem();
            });
  }

  private Uni<ExperimentRow> advance(String name) {
    return store.transaction(
        "experiments",
        tx ->
            tx.experiments()
                .lock(name)
                .chain(
                    locked ->
                        tx.experiments()
                            .progress(List.of(name))
                            .chain(
                                standings ->
                                    tx.now().chain(now -> advance(tx, standings.get(0), now)))));
  }

  private static Uni<ExperimentRow> advance(Transaction tx, Progress one, long now) {
    Optional<ExperimentRow> next = ExperimentRules.next(one.row(), one.tally(), now);
    if (next.isEmpty()) {
      return Uni.createFrom().item(one.row());
    }
    ExperimentRow row = next.get();
    LOG.log(
        Level.INFO,
        "group %s is %s%s"
            .formatted(row.name(), row.state(), row.reason() == null ? "" : ": " + row.reason()));
    if (!row.state().over()) {
      return tx.experiments().update(row).replaceWith(row);
    }
    return tx.experiments()
        .best(row.name(), row.plan().objective())
        .map(best -> best.map(found -> row.best(found.id(), found.score())).orElse(row))
        .call(ended -> tx.experiments().update(ended))
        .call(ended -> tx.groups().close(ended.name()));
  }

  /**
   * Ends requests, a chunk at a time.
   *
   * @param waiting only those of which nothing is placed or runs
   */
  private Uni<Void> endRequests(ExperimentRow row, boolean waiting) {
    Member after = Optional.ofNullable(reached.remove(row.name())).orElse(Member.NONE);
    return endRequests(row, waiting, after, CHUNKS);
  }

  private Uni<Void> endRequests(ExperimentRow row, boolean waiting, Member after, int chunks) {
    if (chunks == 0) {
      reached.put(row.name(), after);
      more = true;
      return Uni.createFrom().voidItem();
    }
    return store
        .read(tx -> tx.experiments().unended(row.name(), waiting, after, CHUNK))
        .call(some -> endChunk(row, some, waiting))
        .chain(
            some ->
                some.size() < CHUNK
                    ? Uni.createFrom().voidItem()
                    : endRequests(row, waiting, some.getLast(), chunks - 1));
  }

  private Uni<Void> endChunk(ExperimentRow row, List<Member> some, boolean waiting) {
    if (some.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    List<String> ids = some.stream().map(Member::id).toList();
    Verdict verdict =
        new Verdict(
            RequestState.CANCELLED,
            Code.CANCELLED,
            "group %s is %s: %s".formatted(row.name(), row.state(), row.reason()));
    return ends.commit(
        "experiments", tx -> tx.loadRequests(ids), unit -> end(unit, ids, verdict, waiting));
  }

  private static void end(UnitOfWork unit, List<String> ids, Verdict verdict, boolean waiting) {
    for (String id : ids) {
      RequestState state = unit.stateOf(id);
      if (!waiting || state == RequestState.WAITING || state == RequestState.QUEUED) {
        Cancellation.cancel(unit, id, verdict);
      }
    }
  }
}
