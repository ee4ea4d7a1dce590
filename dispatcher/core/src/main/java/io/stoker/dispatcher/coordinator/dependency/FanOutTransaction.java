package io.stoker.dispatcher.coordinator.dependency;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Meaning;
import io.stoker.dispatcher.dependency.FanOut;
import io.stoker.dispatcher.dependency.Settlement;
import io.stoker.dispatcher.dependency.Settlement.Dependent;
import io.stoker.dispatcher.model.DependencyRow;
import io.stoker.dispatcher.model.FanOutRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
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

/**
 * Works through one chunk of one fan-out: settles dependents, or owes sharers their statuses.
 *
 * @param chunk how many are told in one transaction
 */
public record FanOutTransaction(Store store, Settlement settlement, int chunk) {
  private static final String NAME = "fan out";

  /**
   * Works through a chunk.
   *
   * @param except not of these
   * @param claimed told of which
   * @return the unit of work of the chunk, or nothing if no other fan-out is left for this replica
   */
  public Uni<Optional<UnitOfWork>> next(
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
                            ? Uni.createFrom().item(Optional.<UnitOfWork>empty())
                            : work(tx, key.get(), null, how).map(Optional::of)));
  }

  /** Works through a chunk of this one. */
  public Uni<UnitOfWork> work(FanOutRow.Key key) {
    return store.holdingJobs(NAME, (tx, how) -> work(tx, key, null, how));
  }

  /** Settles these alone; the fan-out is left to be worked through. */
  public Uni<UnitOfWork> settle(String subject, Set<String> dependents) {
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
  private Uni<UnitOfWork> work(Transaction tx, FanOutRow.Key key, Set<String> only, JobLock how) {
    return tx.now()
        .map(UnitOfWork::new)
        .call(
            unit ->
                switch (key.kind()) {
                  case DEPENDENTS -> settleDependents(tx, unit, key, only, how);
                  case SHARERS -> owe(tx, unit, key);
                })
        .call(tx::write);
  }

  /** From here on nobody starts it anew; nothing if it was worked off since it was claimed. */
  private static Uni<Optional<FanOutRow>> lock(Transaction tx, UnitOfWork unit, FanOutRow.Key key) {
    return tx.fanOuts().lock(key).invoke(found -> found.ifPresent(row -> unit.fanOuts().load(row)));
  }

  private Uni<Void> owe(Transaction tx, UnitOfWork unit, FanOutRow.Key key) {
    return lock(tx, unit, key)
        .chain(
            row -> row.isEmpty() ? Uni.createFrom().voidItem() : oweSharers(tx, unit, row.get()));
  }

  private Uni<Void> oweSharers(Transaction tx, UnitOfWork unit, FanOutRow row) {
    return tx.requests()
        .sharers(row.subject(), row.after(), chunk)
        .chain(
            sharers -> {
              FanOut.owe(unit, row, sharers, chunk);
              return oweDependents(tx, unit, row.subject(), sharers);
            });
  }

  /** A sharer that ended with its job ends for its dependents too. */
  private static Uni<Void> oweDependents(
      Transaction tx, UnitOfWork unit, String job, List<String> sharers) {
    return tx.jobs()
        .read(List.of(job))
        .chain(
            jobs ->
                jobs.isEmpty() || jobs.get(0).live()
                    ? Uni.createFrom().voidItem()
                    : ended(tx, unit, jobs.get(0).state().shown(), sharers));
  }

  /**
   * Once for each sharer: while this transaction holds the fan-out, nobody starts it anew, and only
   * the job's end does so after which it is seen to have ended.
   */
  private static Uni<Void> ended(
      Transaction tx, UnitOfWork unit, RequestState how, List<String> sharers) {
    return tx.groups()
        .members(sharers)
        .invoke(groups -> groups.forEach((group, n) -> unit.sharersEnded(group, how, n)))
        .chain(() -> tx.dependencies().dependedOnAmong(sharers))
        .invoke(dependedOn -> dependedOn.forEach(id -> unit.fanOut(FanOutRow.Kind.DEPENDENTS, id)))
        .replaceWithVoid();
  }

  /**
   * Locks the subject's job, the dependents and the jobs that they may come to share, and then the
   * fan-out: whoever starts one holds such locks already. What the chunk goes by is read after
   * that. Of a subject that has not ended no dependent is looked at.
   */
  private Uni<Void> settleDependents(
      Transaction tx, UnitOfWork unit, FanOutRow.Key key, Set<String> only, JobLock how) {
    return lockSubjectsJob(tx, unit, key.subject())
        .chain(
            () ->
                FanOut.hasEnded(unit, key.subject())
                    ? edges(tx, key, only)
                    : Uni.createFrom().item(List.<DependencyRow>of()))
        .chain(edges -> readDependents(tx, edges))
        .call(dependents -> lockDependents(tx, unit, dependents, how))
        .chain(
            dependents ->
                lock(tx, unit, key)
                    .chain(
                        row ->
                            row.isEmpty()
                                ? Uni.createFrom().voidItem()
                                : settle(tx, unit, key, dependents, only)));
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
  private static Uni<Void> lockSubjectsJob(Transaction tx, UnitOfWork unit, String subject) {
    return loadSubject(tx, unit, subject, jobs -> tx.jobs().lockShared(jobs));
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
      Transaction tx, UnitOfWork unit, Map<String, Dependent> dependents, JobLock how) {
    if (dependents.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    List<Meaning> meanings = FanOut.meanings(dependents, settlement.queues());
    return tx.jobs()
        .lockByFingerprint(Meaning.lookups(meanings), how)
        .invoke(locked -> locked.into(unit))
        .call(() -> tx.jobs().lockFurther(unit, Meaning.further(unit, meanings), how))
        .chain(() -> tx.requests().lock(dependents.keySet()))
        .invoke(unit.requests()::loadAll)
        .replaceWithVoid();
  }

  private Uni<Void> settle(
      Transaction tx,
      UnitOfWork unit,
      FanOutRow.Key key,
      Map<String, Dependent> dependents,
      Set<String> only) {
    int most = only == null ? chunk : 0; // A chunk that is full leaves the fan-out to the next.
    return readSubject(tx, unit, key.subject())
        .chain(() -> edges(tx, key, only))
        .invoke(edges -> FanOut.settle(unit, settlement, key, edges, dependents, most))
        .chain(() -> tx.dependencies().dependedOnAmong(dependents.keySet()))
        .invoke(dependedOn -> FanOut.prune(unit, dependents.keySet(), dependedOn))
        .replaceWithVoid();
  }

  /**
   * Anew, for it may have got its job since, or ended. The subject itself is not locked: once it
   * has ended it is final, and intake holds its lock while it waits for this very fan-out.
   */
  private static Uni<Void> readSubject(Transaction tx, UnitOfWork unit, String subject) {
    return loadSubject(tx, unit, subject, jobs -> tx.jobs().read(jobs));
  }

  private static Uni<Void> loadSubject(
      Transaction tx,
      UnitOfWork unit,
      String subject,
      Function<List<String>, Uni<List<JobRow>>> itsJob) {
    return tx.requests()
        .read(List.of(subject))
        .invoke(unit.requests()::loadAll)
        .chain(rows -> itsJob.apply(jobs(rows)))
        .invoke(jobs -> jobs.forEach(unit::loadJob))
        .replaceWithVoid();
  }

  private static List<String> jobs(List<RequestRow> rows) {
    return rows.stream().map(RequestRow::job).filter(Objects::nonNull).toList();
  }
}
