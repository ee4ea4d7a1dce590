package io.stoker.dispatcher.coordinator.experiment;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.experiment.ExperimentRules;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Progress;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;

/**
 * Makes and ends groups with a plan. What is decided of them follows from their rows and counts
 * alone, so that any replica may go on where another one stopped; the scheduler looks each second
 * at those that have not ended.
 */
public final class ExperimentLifecycle {
  private static final System.Logger LOG = System.getLogger(ExperimentLifecycle.class.getName());

  /** Requests that one transaction ends. */
  private static final int CHUNK = 100;

  private final Store store;
  private final StatusPublisher statuses;
  private final CommitEvents commits;
  private final Isolation<Progress> groups;

  public ExperimentLifecycle(
      Store store, StatusPublisher statuses, CommitEvents commits, SetAsides asides) {
    groups =
        asides.isolation(
            "groups with a plan", one -> one.row().name(), one -> follow(one.getFirst()));
    this.store = store;
    this.statuses = statuses;
    this.commits = commits;
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
        .taken(name, apart)
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

  private static Uni<Boolean> waitsForItself(Transaction tx, String name, Plan plan) {
    return plan.after() == null
        ? Uni.createFrom().item(false)
        : tx.experiments()
            .chain(plan.after())
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

  /** Ends all of a group; one that is not known yet, when its requests arrive. */
  public Uni<Void> stop(String message, String name) {
    return store
        .transaction(
            "experiments",
            tx ->
                tx.experiments()
                    .lock(name)
                    .chain(
                        row ->
                            row.isPresent()
                                ? stop(tx, row.get())
                                : tx.now().chain(now -> stopUnplanned(tx, message, name, now))))
        .chain(() -> look(name));
  }

  private static Uni<Void> stop(Transaction tx, ExperimentRow row) {
    return ExperimentRules.stopped(row)
        .map(stopped -> tx.experiments().update(stopped))
        .orElseGet(() -> Uni.createFrom().voidItem());
  }

  private static Uni<Void> stopUnplanned(Transaction tx, String message, String name, long now) {
    ExperimentRow running =
        new ExperimentRow(name, Plan.plain(null), State.RUNNING, null, now, null, null, null);
    ExperimentRow stopped = ExperimentRules.stopped(running).orElseThrow();
    return tx.experiments()
        .insert(stopped, message)
        .chain(() -> tx.groups().create(name))
        .chain(() -> tx.experiments().takeLane(name))
        .replaceWithVoid();
  }

  /** Looks at all that have not ended. */
  public Uni<Void> look() {
    return store.read(tx -> tx.experiments().open()).chain(groups::each);
  }

  /** Looks at one. */
  public Uni<Void> look(String name) {
    return store
        .read(tx -> tx.experiments().progress(List.of(name)))
        .chain(standings -> InOrder.each(standings, this::follow));
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
    Verdict verdict =
        new Verdict(
            RequestState.CANCELLED,
            Code.CANCELLED,
            "group %s is %s: %s".formatted(row.name(), row.state(), row.reason()));
    return store
        .read(tx -> tx.experiments().unended(row.name(), waiting, CHUNK))
        .chain(
            ids ->
                ids.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : endChunk(ids, verdict, waiting)
                        .chain(
                            () ->
                                ids.size() < CHUNK
                                    ? Uni.createFrom().voidItem()
                                    : endRequests(row, waiting)));
  }

  private Uni<Void> endChunk(List<String> ids, Verdict verdict, boolean waiting) {
    return store
        .transaction(
            "experiments",
            tx ->
                tx.loadRequests(ids)
                    .invoke(ledger -> end(ledger, ids, verdict, waiting))
                    .call(tx::write))
        .invoke(
            ledger -> {
              commits.afterEnds(ledger);
              statuses.wake();
            })
        .replaceWithVoid();
  }

  private static void end(Ledger ledger, List<String> ids, Verdict verdict, boolean waiting) {
    for (String id : ids) {
      RequestState state = ledger.stateOf(id);
      if (!waiting || state == RequestState.WAITING || state == RequestState.QUEUED) {
        Cancellation.cancel(ledger, id, verdict);
      }
    }
  }
}
