package io.stoker.dispatcher.coordinator.attempt;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.AttemptEvent;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.coordinator.placement.FreedCapacity;
import io.stoker.dispatcher.coordinator.placement.FreedCapacity.Turn;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Loads what {@link AttemptReports} needs and writes what it decides. */
public final class EventsTransaction {
  private final Store store;
  private final Backoff backoff;
  private final FreedCapacity freed;

  public EventsTransaction(Store store, Backoff backoff, FreedCapacity freed) {
    this.store = store;
    this.backoff = backoff;
    this.freed = freed;
  }

  /**
   * What became of a batch of events.
   *
   * @param given whether jobs in line have had the room that came of it
   */
  public record Applied(UnitOfWork unit, AttemptReports.Outcome outcome, boolean given) {}

  private record Done(UnitOfWork unit, AttemptReports.Outcome outcome, Turn turn) {
    Applied committed() {
      return new Applied(unit, outcome, turn.committed());
    }
  }

  /** Applies a batch; who gets the room that comes of it must not keep it out. */
  public Uni<Applied> apply(List<AttemptReport> reports) {
    return run(reports, true)
        .onFailure(any -> freed.failed())
        .recoverWithUni(() -> run(reports, false))
        .map(Done::committed);
  }

  private Uni<Done> run(List<AttemptReport> reports, boolean places) {
    List<String> jobs = reports.stream().map(report -> report.event().job()).distinct().toList();
    boolean ends =
        reports.stream().anyMatch(report -> report.event().type() == AttemptEvent.Type.ENDED);
    boolean plain = reports.stream().map(AttemptReport::event).allMatch(EventsTransaction::isPlain);
    AtomicReference<Turn> last = new AtomicReference<>();
    return store.transaction(
        "events",
        tx -> {
          Optional.ofNullable(last.get()).ifPresent(Turn::runsAgain);
          Turn turn = freed.turn(ends && places);
          last.set(turn);
          return Uni.combine()
              .all()
              .unis(plain ? tx.loadReported(jobs, ends) : tx.loadJobs(jobs, ends), turn.look(tx))
              .combinedWith((unit, looked) -> unit)
              .call(unit -> loadBudgets(tx, unit, reports))
              .call(
                  unit ->
                      tx.requests().holdSharing(unit, ends ? LongerRun.sharers(unit) : List.of()))
              .map(unit -> new Done(unit, AttemptReports.apply(unit, reports, backoff), turn))
              .call(applied -> place(tx, turn, applied))
              .call(applied -> turn.writeLast(tx, applied.unit()));
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
        ? turn.place(tx, applied.unit())
        : Uni.createFrom().voidItem();
  }

  /** Of what failed, also of a gang whose last member ends: nothing else uses retries. */
  private static Uni<Void> loadBudgets(
      Transaction tx, UnitOfWork unit, List<AttemptReport> reports) {
    List<String> groups =
        reports.stream()
            .filter(report -> report.event().outcome() != null)
            .flatMap(
                report ->
                    unit.jobs().find(report.event().job()).stream()
                        .filter(
                            job ->
                                job.latest().gang() != null
                                    || report.event().outcome() == AttemptEvent.Outcome.FAILED))
            .flatMap(job -> unit.requests().find(job.asked().firstRequest()).stream())
            .map(RequestRow::group)
            .filter(Objects::nonNull)
            .distinct()
            .toList();
    return tx.budgets().lock(groups).invoke(unit.budgets()::loadAll).replaceWithVoid();
  }
}
