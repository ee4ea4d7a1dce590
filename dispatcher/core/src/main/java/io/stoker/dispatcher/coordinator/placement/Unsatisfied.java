package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.end.Ends;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.LineWalks;
import io.stoker.dispatcher.placement.LineWalks.Waiting;
import io.stoker.dispatcher.placement.LineWalks.Walk;
import io.stoker.dispatcher.placement.OtherNeeds;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Unsatisfiable;
import io.stoker.dispatcher.placement.UnsatisfiableJobs;
import io.stoker.dispatcher.placement.Verdicts;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Does what {@link UnsatisfiableJobs} found, in a transaction of its own. */
public final class Unsatisfied {
  /** Jobs that are looked at after a pass for what others ask who share them. */
  private static final int AT_ONCE = 500;

  /** Of more sharers the others are not asked. */
  private static final int MOST_SHARERS = 2_000;

  /** From one look at a job to the next: hosts come and go meanwhile, and so do sharers. */
  private static final long LOOK_AGAIN_MS = 5_000;

  private final Store store;
  private final Ends ends;

  /** Soft state: a pass within another transaction may be followed beside one of its own. */
  private volatile LineWalks walks = LineWalks.NONE;

  /** Soft state, too: when jobs were looked at for other needs, ms since 1970. */
  private final Map<String, Long> looked = new ConcurrentHashMap<>();

  public Unsatisfied(Store store, Ends ends) {
    this.store = store;
    this.ends = ends;
  }

  /** What was done, and for whom behind the first. */
  private record ToldJobs(UnitOfWork unit, List<Waiting> read) {}

  /**
   * Tells those that a pass looked at, and some of those behind them, unless others who share such
   * a job ask for less.
   *
   * @param now when the pass was, ms since 1970
   * @return jobs of which no request can be read, and why: they may wait with needs of others who
   *     have left them, which nothing will ever serve
   */
  Uni<Map<String, RuntimeException>> follow(UnsatisfiableJobs.Found found, long now) {
    Verdicts verdicts = found.verdicts();
    walks = walks.after(found.lines(), found.lookedAt());
    Optional<Walk> turn = walks.turn(now);
    Set<String> again = toLookAt(found.never(), now);
    if (verdicts.isEmpty() && turn.isEmpty() && again.isEmpty()) {
      return Uni.createFrom().item(Map.of());
    }
    return store
        .transaction(
            "tell unsatisfied",
            tx ->
                turn.map(walk -> tx.line().behind(walk, LineWalks.AT_ONCE))
                    .orElse(Uni.createFrom().item(List.of()))
                    .chain(
                        read ->
                            tell(tx, all(verdicts, turn, read), again, found.snapshot())
                                .map(unit -> new ToldJobs(unit, read))))
        .invoke(
            told -> {
              turn.ifPresent(walk -> walks = walks.done(walk, told.read(), now));
              ends.follow(told.unit());
            })
        .chain(() -> unreadable(again));
  }

  private Uni<Map<String, RuntimeException>> unreadable(Set<String> jobs) {
    return jobs.isEmpty()
        ? Uni.createFrom().item(Map.of())
        : store.read(
            tx ->
                tx.requests()
                    .readSharing(jobs, MOST_SHARERS)
                    .chain(rows -> unreadable(tx, rows, StoredRequest.unreadable(rows))));
  }

  /** Who could not be looked at, since it is large, may well be readable. */
  private static Uni<Map<String, RuntimeException>> unreadable(
      Transaction tx, List<RequestRow> rows, Map<String, RuntimeException> found) {
    if (found.isEmpty()) {
      return Uni.createFrom().item(found);
    }
    long looked = rows.stream().filter(row -> found.containsKey(row.job())).count();
    return tx.requests()
        .sharing(found.keySet())
        .map(all -> all.size() == looked ? found : Map.of());
  }

  private Set<String> toLookAt(Set<String> never, long now) {
    looked.values().removeIf(before -> Math.abs(now - before) >= LOOK_AGAIN_MS);
    Set<String> some =
        never.stream()
            .filter(job -> !looked.containsKey(job))
            .limit(AT_ONCE)
            .collect(Collectors.toSet());
    some.forEach(job -> looked.put(job, now));
    return some;
  }

  private static Verdicts all(Verdicts verdicts, Optional<Walk> turn, List<Waiting> read) {
    return turn.map(walk -> verdicts.and(LineWalks.verdicts(walk, read))).orElse(verdicts);
  }

  private static Uni<UnitOfWork> tell(
      Transaction tx, Verdicts verdicts, Set<String> again, Snapshot snapshot) {
    Set<String> mayChange = new HashSet<>(again);
    mayChange.addAll(verdicts.tells().keySet());
    mayChange.addAll(verdicts.ends().keySet());
    return tx.requests()
        .sharedAmong(mayChange)
        .chain(
            shared -> {
              Set<String> jobs = new HashSet<>(verdicts.jobs());
              jobs.addAll(shared);
              return jobs.isEmpty()
                  ? Uni.createFrom().item(new UnitOfWork(0))
                  : tx.loadJobs(jobs, true)
                      .call(unit -> tell(tx, unit, verdicts, shared, snapshot));
            });
  }

  private static Uni<Void> tell(
      Transaction tx, UnitOfWork unit, Verdicts verdicts, List<String> shared, Snapshot snapshot) {
    return tx.requests()
        .readSharing(shared, MOST_SHARERS)
        .invoke(
            sharers -> {
              Set<String> changed =
                  OtherNeeds.apply(
                      unit,
                      snapshot,
                      sharers.stream().collect(Collectors.groupingBy(RequestRow::job)));
              Unsatisfiable.apply(unit, verdicts.without(changed));
            })
        .chain(() -> tx.write(unit));
  }
}
