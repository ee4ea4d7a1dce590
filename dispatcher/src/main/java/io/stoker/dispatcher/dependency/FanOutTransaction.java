package io.stoker.dispatcher.dependency;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.DependencyTable;
import io.stoker.dispatcher.store.FanOutTable;
import io.stoker.dispatcher.store.GroupTable;
import io.stoker.dispatcher.store.JobTable;
import io.stoker.dispatcher.store.LedgerWriter;
import io.stoker.dispatcher.store.RequestTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Works through one chunk of one fan-out: settles dependents, or owes sharers their statuses. */
@ApplicationScoped
public class FanOutTransaction {
  private static final int CHUNK = 500;

  private final Database database;
  private final Settlement settlement;

  FanOutTransaction(Database database, Settlement settlement) {
    this.database = database;
    this.settlement = settlement;
  }

  /** The ledger of the chunk, or nothing if no fan-out is left for this replica. */
  public Uni<Optional<Ledger>> next() {
    return database.transaction(
        session ->
            FanOutTable.lockSome(session, 1)
                .chain(
                    rows ->
                        rows.isEmpty()
                            ? Uni.createFrom().item(Optional.<Ledger>empty())
                            : work(session, rows.get(0)).map(Optional::of)));
  }

  private Uni<Ledger> work(StatelessSession session, FanOutRow row) {
    return Database.now(session)
        .map(Ledger::new)
        .invoke(ledger -> ledger.fanOuts().load(row))
        .call(
            ledger ->
                switch (row.kind()) {
                  case DEPENDENTS -> settleDependents(session, ledger, row);
                  case SHARERS -> owe(session, ledger, row);
                })
        .call(ledger -> LedgerWriter.write(session, ledger));
  }

  private static Uni<Void> owe(StatelessSession session, Ledger ledger, FanOutRow row) {
    return RequestTable.sharers(session, row.subject(), row.after(), CHUNK)
        .chain(
            sharers -> {
              FanOut.owe(ledger, row, sharers, CHUNK);
              return oweDependents(session, ledger, row.subject(), sharers);
            });
  }

  /** A sharer that ended with its job ends for its dependents too. */
  private static Uni<Void> oweDependents(
      StatelessSession session, Ledger ledger, String job, List<String> sharers) {
    return JobTable.read(session, List.of(job))
        .chain(
            jobs ->
                jobs.isEmpty() || jobs.get(0).live()
                    ? Uni.createFrom().voidItem()
                    : ended(session, ledger, jobs.get(0).state().shown(), sharers));
  }

  /**
   * Once for each sharer: while this transaction holds the fan-out, nobody starts it anew, and only
   * the job's end does so after which it is seen to have ended.
   */
  private static Uni<Void> ended(
      StatelessSession session, Ledger ledger, RequestState how, List<String> sharers) {
    return GroupTable.members(session, sharers)
        .invoke(groups -> groups.forEach((group, n) -> ledger.sharersEnded(group, how, n)))
        .chain(() -> DependencyTable.dependedOnAmong(session, sharers))
        .invoke(
            dependedOn -> dependedOn.forEach(id -> ledger.fanOut(FanOutRow.Kind.DEPENDENTS, id)))
        .replaceWithVoid();
  }

  /**
   * A fan-out of a request that has not ended is over: its end starts another. The subject's job is
   * locked to know that, the subject is not: once it has ended it is final, and intake holds its
   * lock while it waits for this very fan-out.
   */
  private Uni<Void> settleDependents(StatelessSession session, Ledger ledger, FanOutRow row) {
    String subject = row.subject();
    return RequestTable.read(session, List.of(subject))
        .invoke(ledger.requests()::loadAll)
        .chain(rows -> JobTable.lockShared(session, jobs(rows)))
        .invoke(jobs -> jobs.forEach(ledger::loadJob))
        .chain(
            () -> {
              if (ledger.stateOf(subject).terminal()) {
                return settleChunk(session, ledger, row);
              }
              ledger.fanOuts().remove(row.key());
              return Uni.createFrom().voidItem();
            });
  }

  private Uni<Void> settleChunk(StatelessSession session, Ledger ledger, FanOutRow row) {
    return DependencyTable.on(session, row.subject(), CHUNK)
        .chain(
            edges -> {
              if (edges.size() < CHUNK) {
                ledger.fanOuts().remove(row.key());
              }
              if (edges.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              return readDependents(session, edges)
                  .chain(dependents -> settle(session, ledger, row.subject(), dependents));
            });
  }

  /**
   * Reads without locks what fingerprints the dependents may get; what they are made of is final.
   */
  private static Uni<Map<String, Dependent>> readDependents(
      StatelessSession session, List<DependencyRow> edges) {
    return RequestTable.read(session, edges.stream().map(DependencyRow::dependent).toList())
        .chain(
            rows -> {
              List<JobRequest> requests = FanOut.requests(rows);
              return RequestTable.read(session, FanOut.inputs(requests))
                  .map(inputs -> FanOut.dependents(requests, inputs));
            });
  }

  private Uni<Void> settle(
      StatelessSession session, Ledger ledger, String subject, Map<String, Dependent> dependents) {
    return JobTable.lockSharedByFingerprint(session, FanOut.fingerprints(dependents))
        .invoke(locked -> locked.jobs().forEach(ledger::loadJob))
        .chain(() -> RequestTable.lock(session, dependents.keySet()))
        .invoke(ledger.requests()::loadAll)
        .chain(() -> DependencyTable.on(session, subject, CHUNK))
        .invoke(
            current ->
                current.stream()
                    .filter(edge -> dependents.containsKey(edge.dependent()))
                    .forEach(ledger.dependencies()::load))
        .invoke(() -> FanOut.settle(ledger, settlement, subject, dependents))
        .chain(() -> DependencyTable.dependedOnAmong(session, dependents.keySet()))
        .invoke(dependedOn -> FanOut.prune(ledger, dependents.keySet(), dependedOn))
        .replaceWithVoid();
  }

  private static List<String> jobs(List<RequestRow> rows) {
    return rows.stream().map(RequestRow::job).filter(Objects::nonNull).toList();
  }
}
