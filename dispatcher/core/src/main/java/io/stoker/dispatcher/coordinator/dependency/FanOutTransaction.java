package io.stoker.dispatcher.coordinator.dependency;

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
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;

/** Works through one chunk of one fan-out: settles dependents, or owes sharers their statuses. */
public final class FanOutTransaction {
  private static final String NAME = "fan out";

  private final Store store;
  private final Settlement settlement;
  private final int chunk;

  /**
   * @param chunk how many are told in one transaction
   */
  public FanOutTransaction(Store store, Settlement settlement, int chunk) {
    this.store = store;
    this.settlement = settlement;
    this.chunk = chunk;
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
    return store.holdingJobs(
        NAME,
        (tx, how) ->
            tx.fanOuts()
                .claim(except)
                .invoke(key -> key.ifPresent(claimed))
                .chain(
                    key ->
                        key.isEmpty()
                            ? Uni.createFrom().item(Optional.<Ledger>empty())
                            : work(tx, key.get(), null, how).map(Optional::of)));
  }

  /** Works through a chunk of this one. */
  public Uni<Ledger> work(FanOutRow.Key key) {
    return store.holdingJobs(NAME, (tx, how) -> work(tx, key, null, how));
  }

  /** Settles these alone; the fan-out is left to be worked through. */
  public Uni<Ledger> settle(String subject, Set<String> dependents) {
    FanOutRow.Key key = new FanOutRow.Key(FanOutRow.Kind.DEPENDENTS, subject);
    return store.holdingJobs(NAME, (tx, how) -> work(tx, key, dependents, how));
  }

  /** Whom the next chunk would settle. */
  public Uni<List<DependencyRow>> edges(String subject) {
    return store.read(tx -> tx.dependencies().on(subject, chunk));
  }

  /**
   * @param only whom to settle, null for all
   */
  private Uni<Ledger> work(Transaction tx, FanOutRow.Key key, Set<String> only, JobLock how) {
    return tx.now()
        .map(Ledger::new)
        .call(
            ledger ->
                switch (key.kind()) {
                  case DEPENDENTS -> settleDependents(tx, ledger, key, only, how);
                  case SHARERS -> owe(tx, ledger, key);
                })
        .call(tx::write);
  }

  /** From here on nobody starts it anew; nothing if it was worked off since it was claimed. */
  private static Uni<Optional<FanOutRow>> lock(Transaction tx, Ledger ledger, FanOutRow.Key key) {
    return tx.fanOuts()
        .lock(key)
        .invoke(found -> found.ifPresent(row -> ledger.fanOuts().load(row)));
  }

  private Uni<Void> owe(Transaction tx, Ledger ledger, FanOutRow.Key key) {
    return lock(tx, ledger, key)
        .chain(
            row -> row.isEmpty() ? Uni.createFrom().voidItem() : oweSharers(tx, ledger, row.get()));
  }

  private Uni<Void> oweSharers(Transaction tx, Ledger ledger, FanOutRow row) {
    return tx.requests()
        .sharers(row.subject(), row.after(), chunk)
        .chain(
            sharers -> {
              FanOut.owe(ledger, row, sharers, chunk);
              return oweDependents(tx, ledger, row.subject(), sharers);
            });
  }

  /** A sharer that ended with its job ends for its dependents too. */
  private static Uni<Void> oweDependents(
      Transaction tx, Ledger ledger, String job, List<String> sharers) {
    return tx.jobs()
        .read(List.of(job))
        .chain(
            jobs ->
                jobs.isEmpty() || jobs.get(0).live()
                    ? Uni.createFrom().voidItem()
                    : ended(tx, ledger, jobs.get(0).state().shown(), sharers));
  }

  /**
   * Once for each sharer: while this transaction holds the fan-out, nobody starts it anew, and only
   * the job's end does so after which it is seen to have ended.
   */
  private static Uni<Void> ended(
      Transaction tx, Ledger ledger, RequestState how, List<String> sharers) {
    return tx.groups()
        .members(sharers)
        .invoke(groups -> groups.forEach((group, n) -> ledger.sharersEnded(group, how, n)))
        .chain(() -> tx.dependencies().dependedOnAmong(sharers))
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
      Transaction tx, Ledger ledger, FanOutRow.Key key, Set<String> only, JobLock how) {
    return lockSubjectsJob(tx, ledger, key.subject())
        .chain(
            () ->
                FanOut.hasEnded(ledger, key.subject())
                    ? edges(tx, key, only)
                    : Uni.createFrom().item(List.<DependencyRow>of()))
        .chain(edges -> readDependents(tx, edges))
        .call(dependents -> lockDependents(tx, ledger, dependents, how))
        .chain(
            dependents ->
                lock(tx, ledger, key)
                    .chain(
                        row ->
                            row.isEmpty()
                                ? Uni.createFrom().voidItem()
                                : settle(tx, ledger, key, dependents, only)));
  }

  private Uni<List<DependencyRow>> edges(Transaction tx, FanOutRow.Key key, Set<String> only) {
    return tx.dependencies()
        .on(key.subject(), chunk)
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
  private static Uni<Void> lockSubjectsJob(Transaction tx, Ledger ledger, String subject) {
    return loadSubject(tx, ledger, subject, jobs -> tx.jobs().lockShared(jobs));
  }

  /**
   * Reads without locks what fingerprints the dependents may get; what they are made of is final.
   * Of large ones it takes the first: the others are for the next chunk.
   */
  private static Uni<Map<String, Dependent>> readDependents(
      Transaction tx, List<DependencyRow> edges) {
    if (edges.isEmpty()) {
      return Uni.createFrom().item(Map.of());
    }
    return tx.statuses()
        .slices(edges.stream().map(DependencyRow::dependent).toList())
        .chain(slices -> tx.requests().read(slices.getFirst()))
        .chain(
            rows -> {
              List<JobRequest> requests = FanOut.requests(rows);
              return tx.requests()
                  .inputs(FanOut.inputs(requests))
                  .map(known -> FanOut.dependents(requests, known))
                  .invoke(dependents -> dependents.putAll(FanOut.over(rows)));
            });
  }

  private Uni<Void> lockDependents(
      Transaction tx, Ledger ledger, Map<String, Dependent> dependents, JobLock how) {
    if (dependents.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    List<Meaning> meanings = FanOut.meanings(dependents, settlement.queues());
    return tx.jobs()
        .lockByFingerprint(Meaning.lookups(meanings), how)
        .invoke(locked -> locked.into(ledger))
        .call(() -> tx.jobs().lockFurther(ledger, Meaning.further(ledger, meanings), how))
        .chain(() -> tx.requests().lock(dependents.keySet()))
        .invoke(ledger.requests()::loadAll)
        .replaceWithVoid();
  }

  private Uni<Void> settle(
      Transaction tx,
      Ledger ledger,
      FanOutRow.Key key,
      Map<String, Dependent> dependents,
      Set<String> only) {
    int most = only == null ? chunk : 0; // A chunk that is full leaves the fan-out to the next.
    return readSubject(tx, ledger, key.subject())
        .chain(() -> edges(tx, key, only))
        .invoke(edges -> FanOut.settle(ledger, settlement, key, edges, dependents, most))
        .chain(() -> tx.dependencies().dependedOnAmong(dependents.keySet()))
        .invoke(dependedOn -> FanOut.prune(ledger, dependents.keySet(), dependedOn))
        .replaceWithVoid();
  }

  /**
   * Anew, for it may have got its job since, or ended. The subject itself is not locked: once it
   * has ended it is final, and intake holds its lock while it waits for this very fan-out.
   */
  private static Uni<Void> readSubject(Transaction tx, Ledger ledger, String subject) {
    return loadSubject(tx, ledger, subject, jobs -> tx.jobs().read(jobs));
  }

  private static Uni<Void> loadSubject(
      Transaction tx,
      Ledger ledger,
      String subject,
      Function<List<String>, Uni<List<JobRow>>> itsJob) {
    return tx.requests()
        .read(List.of(subject))
        .invoke(ledger.requests()::loadAll)
        .chain(rows -> itsJob.apply(jobs(rows)))
        .invoke(jobs -> jobs.forEach(ledger::loadJob))
        .replaceWithVoid();
  }

  private static List<String> jobs(List<RequestRow> rows) {
    return rows.stream().map(RequestRow::job).filter(Objects::nonNull).toList();
  }
}
