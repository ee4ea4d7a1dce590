package io.stoker.dispatcher.coordinator.attempt;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.AttemptEvent;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.coordinator.placement.FreedRoom;
import io.stoker.dispatcher.coordinator.placement.FreedRoom.Turn;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Objects;

/** Loads what {@link AttemptReports} needs and writes what it decides. */
public final class EventsTransaction {
  private final Store store;
  private final Backoff backoff;
  private final FreedRoom rooms;

  public EventsTransaction(Store store, Backoff backoff, FreedRoom rooms) {
    this.store = store;
    this.backoff = backoff;
    this.rooms = rooms;
  }

  /**
   * What became of a batch of events.
   *
   * @param given whether jobs in line have had the room that came of it
   */
  public record Applied(Ledger ledger, AttemptReports.Outcome outcome, boolean given) {}

  private record Done(Ledger ledger, AttemptReports.Outcome outcome, Turn turn) {
    Applied committed() {
      return new Applied(ledger, outcome, turn.committed());
    }
  }

  /** Applies a batch; who gets the room that comes of it must not keep it out. */
  public Uni<Applied> apply(List<AttemptReport> reports) {
    return run(reports, true)
        .onFailure(any -> rooms.failed())
        .recoverWithUni(() -> run(reports, false))
        .map(Done::committed);
  }

  private Uni<Done> run(List<AttemptReport> reports, boolean places) {
    List<String> jobs = reports.stream().map(report -> report.event().job()).distinct().toList();
    boolean ends =
        reports.stream().anyMatch(report -> report.event().type() == AttemptEvent.Type.ENDED);
    boolean plain = reports.stream().map(AttemptReport::event).allMatch(EventsTransaction::isPlain);
    return store.transaction(
        "events",
        tx -> {
          Turn turn = rooms.turn(ends && places);
          return Uni.combine()
              .all()
              .unis(plain ? tx.loadReported(jobs, ends) : tx.loadJobs(jobs, ends), turn.look(tx))
              .combinedWith((ledger, looked) -> ledger)
              .call(ledger -> loadBudgets(tx, ledger, reports))
              .call(
                  ledger ->
                      tx.requests()
                          .holdSharing(ledger, ends ? LongerRun.sharers(ledger) : List.of()))
              .map(ledger -> new Done(ledger, AttemptReports.apply(ledger, reports, backoff), turn))
              .call(applied -> place(tx, turn, applied))
              .call(applied -> turn.writeLast(tx, applied.ledger()));
        });
  }

  /** Whether it is of an attempt that goes well: nothing beside its own rows follows from it. */
  private static boolean isPlain(AttemptEvent event) {
    return switch (event.type()) {
      case ACCEPTED, RUNNING -> true;
      case ENDED -> event.outcome() == AttemptEvent.Outcome.SUCCEEDED;
      case PROGRESS, RESULT -> false;
    };
  }

  /** Who was refused stands in line again: of that the next pass knows. */
  private static Uni<Void> place(Transaction tx, Turn turn, Done applied) {
    return applied.outcome().refusals().isEmpty()
        ? turn.place(tx, applied.ledger())
        : Uni.createFrom().voidItem();
  }

  /** Of what failed, also of a gang whose last member ends: nothing else uses retries. */
  private static Uni<Void> loadBudgets(Transaction tx, Ledger ledger, List<AttemptReport> reports) {
    List<String> groups =
        reports.stream()
            .filter(report -> report.event().outcome() != null)
            .flatMap(
                report ->
                    ledger.jobs().find(report.event().job()).stream()
                        .filter(
                            job ->
                                job.gang() != null
                                    || report.event().outcome() == AttemptEvent.Outcome.FAILED))
            .flatMap(job -> ledger.requests().find(job.firstRequest()).stream())
            .map(RequestRow::group)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    return tx.budgets().lock(groups).invoke(ledger.budgets()::loadAll).replaceWithVoid();
  }
}
