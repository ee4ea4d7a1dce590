package io.stoker.dispatcher.service.dependency;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.dependency.FanOut;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.ledger.DependencyRow;
import io.stoker.dispatcher.ledger.FanOutRow;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.DependencyTable;
import io.stoker.dispatcher.service.postgres.FanOutTable;
import io.stoker.dispatcher.service.postgres.GroupTable;
import io.stoker.dispatcher.service.postgres.JobTable;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.postgres.RequestTable;
import io.stoker.dispatcher.service.postgres.StatusQueries;
import io.stoker.dispatcher.store.JobLock;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
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

  /**
   * Works through a chunk.
   *
   * @param except not of these
   * @param claimed told of which
   * @return the ledger of the chunk, or nothing if no other fan-out is left for this replica
   */
  public Uni<Optional<Ledger>> next(
      Collection<FanOutRow.Key> except, Consumer<FanOutRow.Key> claimed) {
    return database.holdingJobs(
        (session, how) ->
            FanOutTable.claim(session, except)
                .invoke(key -> key.ifPresent(claimed))
                .chain(
                    key ->
                        key.isEmpty()
                            ? Uni.createFrom().item(Optional.<Ledger>empty())
                            : work(session, key.get(), null, how).map(Optional::of)));
  }

  /** Works through a chunk of this one. */
  public Uni<Ledger> work(FanOutRow.Key key) {
    return database.holdingJobs((session, how) -> work(session, key, null, how));
  }

  /** Settles these alone; the fan-out is left to be worked through. */
  public Uni<Ledger> settle(String subject, Set<String> dependents) {
    FanOutRow.Key key = new FanOutRow.Key(FanOutRow.Kind.DEPENDENTS, subject);
    return database.holdingJobs((session, how) -> work(session, key, dependents, how));
  }

  /** Whom the next chunk would settle. */
  public Uni<List<DependencyRow>> edges(String subject) {
    return database.read(session -> DependencyTable.on(session, subject, CHUNK));
  }

  /**
   * @param only whom to settle, null for all
   */
  private Uni<Ledger> work(
      StatelessSession session, FanOutRow.Key key, Set<String> only, JobLock how) {
    return Database.now(session)
        .map(Ledger::new)
        .call(
            ledger ->
                switch (key.kind()) {
                  case DEPENDENTS -> settleDependents(session, ledger, key, only, how);
                  case SHARERS -> owe(session, ledger, key);
                })
        .call(ledger -> LedgerWriter.write(session, ledger));
  }

  /** From here on nobody starts it anew; nothing if it was worked off since it was claimed. */
  private static Uni<Optional<FanOutRow>> lock(
      StatelessSession session, Ledger ledger, FanOutRow.Key key) {
    return FanOutTable.lock(session, key)
        .invoke(found -> found.ifPresent(row -> ledger.fanOuts().load(row)));
  }

  private static Uni<Void> owe(StatelessSession session, Ledger ledger, FanOutRow.Key key) {
    return lock(session, ledger, key)
        .chain(
            row ->
                row.isEmpty()
                    ? Uni.createFrom().voidItem()
                    : oweSharers(session, ledger, row.get()));
  }

  private static Uni<Void> oweSharers(StatelessSession session, Ledger ledger, FanOutRow row) {
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
   * Locks the subject's job, the dependents and the jobs that they may come to share, and then the
   * fan-out: whoever starts one holds such locks already. What the chunk goes by is read after
   * that. Of a subject that has not ended no dependent is looked at.
   */
  private Uni<Void> settleDependents(
      StatelessSession session, Ledger ledger, FanOutRow.Key key, Set<String> only, JobLock how) {
    return lockSubjectsJob(session, ledger, key.subject())
        .chain(
            () ->
                FanOut.hasEnded(ledger, key.subject())
                    ? edges(session, key, only)
                    : Uni.createFrom().item(List.<DependencyRow>of()))
        .chain(edges -> readDependents(session, edges))
        .call(dependents -> lockDependents(session, ledger, dependents, how))
        .chain(
            dependents ->
                lock(session, ledger, key)
                    .chain(
                        row ->
                            row.isEmpty()
                                ? Uni.createFrom().voidItem()
                                : settle(session, ledger, key, dependents, only)));
  }

  private static Uni<List<DependencyRow>> edges(
      StatelessSession session, FanOutRow.Key key, Set<String> only) {
    return DependencyTable.on(session, key.subject(), CHUNK)
        .map(
            all ->
                only == null
                    ? all
                    : all.stream().filter(edge -> only.contains(edge.dependent())).toList());
  }

  /**
   * Whoever is ending it may have looked for dependents before these came, and found none: then
   * nobody but this fan-out tells them.
   */
  private static Uni<Void> lockSubjectsJob(
      StatelessSession session, Ledger ledger, String subject) {
    return loadSubject(session, ledger, subject, jobs -> JobTable.lockShared(session, jobs));
  }

  /**
   * Reads without locks what fingerprints the dependents may get; what they are made of is final.
   * Of large ones it takes the first: the others are for the next chunk.
   */
  private static Uni<Map<String, Dependent>> readDependents(
      StatelessSession session, List<DependencyRow> edges) {
    if (edges.isEmpty()) {
      return Uni.createFrom().item(Map.of());
    }
    return new StatusQueries(session)
        .slices(edges.stream().map(DependencyRow::dependent).toList())
        .chain(slices -> RequestTable.read(session, slices.getFirst()))
        .chain(
            rows -> {
              List<JobRequest> requests = FanOut.requests(rows);
              return RequestTable.inputs(session, FanOut.inputs(requests))
                  .map(known -> FanOut.dependents(requests, known))
                  .invoke(dependents -> dependents.putAll(FanOut.over(rows)));
            });
  }

  private static Uni<Void> lockDependents(
      StatelessSession session, Ledger ledger, Map<String, Dependent> dependents, JobLock how) {
    if (dependents.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    List<Meaning> meanings = FanOut.meanings(dependents);
    return new JobTable(session)
        .lockByFingerprint(Meaning.lookups(meanings), how)
        .invoke(locked -> locked.into(ledger))
        .call(
            () -> new JobTable(session).lockFurther(ledger, Meaning.further(ledger, meanings), how))
        .chain(() -> new RequestTable(session).lock(dependents.keySet()))
        .invoke(ledger.requests()::loadAll)
        .replaceWithVoid();
  }

  private Uni<Void> settle(
      StatelessSession session,
      Ledger ledger,
      FanOutRow.Key key,
      Map<String, Dependent> dependents,
      Set<String> only) {
    int chunk = only == null ? CHUNK : 0; // A chunk that is full leaves the fan-out to the next.
    return readSubject(session, ledger, key.subject())
        .chain(() -> edges(session, key, only))
        .invoke(edges -> FanOut.settle(ledger, settlement, key, edges, dependents, chunk))
        .chain(() -> DependencyTable.dependedOnAmong(session, dependents.keySet()))
        .invoke(dependedOn -> FanOut.prune(ledger, dependents.keySet(), dependedOn))
        .replaceWithVoid();
  }

  /**
   * Anew, for it may have got its job since, or ended. The subject itself is not locked: once it
   * has ended it is final, and intake holds its lock while it waits for this very fan-out.
   */
  private static Uni<Void> readSubject(StatelessSession session, Ledger ledger, String subject) {
    return loadSubject(session, ledger, subject, jobs -> JobTable.read(session, jobs));
  }

  private static Uni<Void> loadSubject(
      StatelessSession session,
      Ledger ledger,
      String subject,
      Function<List<String>, Uni<List<JobRow>>> itsJob) {
    return RequestTable.read(session, List.of(subject))
        .invoke(ledger.requests()::loadAll)
        .chain(rows -> itsJob.apply(jobs(rows)))
        .invoke(jobs -> jobs.forEach(ledger::loadJob))
        .replaceWithVoid();
  }

  private static List<String> jobs(List<RequestRow> rows) {
    return rows.stream().map(RequestRow::job).filter(Objects::nonNull).toList();
  }
}
