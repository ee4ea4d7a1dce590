package io.stoker.dispatcher.service.experiment;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.attempt.Cancellation.Verdict;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.experiment.ExperimentRules;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.ExperimentTable;
import io.stoker.dispatcher.service.postgres.GroupTable;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.RequestLoader;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.jboss.logging.Logger;

/**
 * Makes and ends groups with a plan. What is decided of them follows from their rows and counts
 * alone, so that any replica may go on where another one stopped; the scheduler looks each second
 * at those that have not ended.
 */
@ApplicationScoped
public class Experiments {
  private static final Logger LOG = Logger.getLogger(Experiments.class);

  /** Requests that one transaction ends. */
  private static final int CHUNK = 100;

  private final Database database;
  private final StatusPublisher statuses;
  private final Wakes wakes;
  private final Isolation<ExperimentTable.Standing> groups;

  Experiments(Database database, StatusPublisher statuses, Wakes wakes, SetAsides asides) {
    groups =
        asides.isolation(
            "groups with a plan", one -> one.row().name(), one -> follow(one.getFirst()));
    this.database = database;
    this.statuses = statuses;
    this.wakes = wakes;
  }

  /**
   * Makes a group with a plan. The same message makes one once.
   *
   * @param apart whether the name of a group without a plan counts as taken, too: else requests
   *     that named it before belong to it
   * @return its name; nothing if it would wait for itself
   */
  public Uni<Optional<String>> create(String message, String name, Plan plan, boolean apart) {
    return database.transaction(
        session ->
            ExperimentTable.madeBy(session, message)
                .chain(
                    made ->
                        made.isPresent()
                            ? Uni.createFrom().item(made)
                            : make(session, message, name, plan, apart)));
  }

  private static Uni<Optional<String>> make(
      StatelessSession session, String message, String name, Plan plan, boolean apart) {
    return ExperimentTable.taken(session, name, apart)
        .map(taken -> ExperimentRules.free(name, taken))
        .chain(
            free ->
                waitsForItself(session, free, plan)
                    .chain(
                        circle ->
                            circle
                                ? Uni.createFrom().item(Optional.empty())
                                : insert(session, message, free, plan)));
  }

  private static Uni<Boolean> waitsForItself(StatelessSession session, String name, Plan plan) {
    return plan.after() == null
        ? Uni.createFrom().item(false)
        : ExperimentTable.chain(session, plan.after())
            .map(chain -> plan.after().equals(name) || chain.contains(name));
  }

  private static Uni<Optional<String>> insert(
      StatelessSession session, String message, String name, Plan plan) {
    return Database.now(session)
        .chain(
            now ->
                ExperimentTable.insert(
                    session,
                    new ExperimentRow(name, plan, State.RUNNING, null, now, null, null, null),
                    message))
        .chain(() -> GroupTable.create(session, name))
        .chain(() -> ExperimentTable.takeLane(session, name))
        .replaceWith(Optional.of(name));
  }

  /** Ends all of a group; one that is not known yet, when its requests arrive. */
  public Uni<Void> stop(String message, String name) {
    return database
        .transaction(
            session ->
                ExperimentTable.lock(session, name)
                    .chain(
                        row ->
                            row.isPresent()
                                ? stop(session, row.get())
                                : Database.now(session)
                                    .chain(now -> stopUnplanned(session, message, name, now))))
        .chain(() -> look(name));
  }

  private static Uni<Void> stop(StatelessSession session, ExperimentRow row) {
    return ExperimentRules.stopped(row)
        .map(stopped -> ExperimentTable.update(session, stopped))
        .orElseGet(() -> Uni.createFrom().voidItem());
  }

  private static Uni<Void> stopUnplanned(
      StatelessSession session, String message, String name, long now) {
    ExperimentRow running =
        new ExperimentRow(name, Plan.plain(null), State.RUNNING, null, now, null, null, null);
    ExperimentRow stopped = ExperimentRules.stopped(running).orElseThrow();
    return ExperimentTable.insert(session, stopped, message)
        .chain(() -> GroupTable.create(session, name))
        .chain(() -> ExperimentTable.takeLane(session, name))
        .replaceWithVoid();
  }

  /** Looks at all that have not ended. */
  public Uni<Void> look() {
    return database.read(ExperimentTable::open).chain(groups::each);
  }

  /** Looks at one. */
  public Uni<Void> look(String name) {
    return database
        .read(session -> ExperimentTable.standings(session, List.of(name)))
        .chain(standings -> InOrder.each(standings, this::follow));
  }

  /** Ends what is to be ended of it, and the group itself once that has. */
  private Uni<Void> follow(ExperimentTable.Standing one) {
    // The database's clock is asked where it counts, in the transaction.
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
    return database.transaction(
        session ->
            ExperimentTable.lock(session, name)
                .chain(
                    locked ->
                        ExperimentTable.standings(session, List.of(name))
                            .chain(
                                standings ->
                                    Database.now(session)
                                        .chain(now -> advance(session, standings.get(0), now)))));
  }

  private static Uni<ExperimentRow> advance(
      StatelessSession session, ExperimentTable.Standing one, long now) {
    Optional<ExperimentRow> next = ExperimentRules.next(one.row(), one.tally(), now);
    if (next.isEmpty()) {
      return Uni.createFrom().item(one.row());
    }
    ExperimentRow row = next.get();
    LOG.infof(
        "group %s is %s%s",
        row.name(), row.state(), row.reason() == null ? "" : ": " + row.reason());
    if (!row.state().over()) {
      return ExperimentTable.update(session, row).replaceWith(row);
    }
    return ExperimentTable.best(session, row.name(), row.plan().objective())
        .map(best -> best.map(found -> row.best(found.id(), found.score())).orElse(row))
        .call(ended -> ExperimentTable.update(session, ended))
        .call(ended -> GroupTable.close(session, ended.name()));
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
    return database
        .read(session -> ExperimentTable.unended(session, row.name(), waiting, CHUNK))
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
    return database
        .transaction(
            session ->
                RequestLoader.load(session, ids)
                    .invoke(ledger -> end(ledger, ids, verdict, waiting))
                    .call(ledger -> LedgerWriter.write(session, ledger)))
        .invoke(
            ledger -> {
              wakes.afterEnds(ledger);
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
