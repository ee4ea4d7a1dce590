package io.stoker.dispatcher.coordinator.retention;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.retention.Aged;
import io.stoker.dispatcher.retention.Deadlines;
import io.stoker.dispatcher.store.OldRows;
import io.stoker.dispatcher.store.Store;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Drops what has been over for long, some at a time. In the transaction in which a request is
 * dropped its status becomes due, which is a tombstone from then on: it is published however often
 * the dispatcher dies, and not if the id has been posted again meanwhile.
 */
public record RetentionTransaction(Store store) {
  private static final String NAME = "retention";
  private static final int AT_ONCE = 500;

  /**
   * How far a round has come.
   *
   * @param dropped in this step
   * @param next where it goes on, nothing at its end
   */
  public record Step<T>(int dropped, Optional<T> next) {}

  /**
   * Drops some requests that ended before then.
   *
   * @param after the arrival behind which it goes on, 0 at first
   */
  public Uni<Step<Long>> requests(long after, long before) {
    return store.transaction(
        NAME,
        tx ->
            tx.oldRows()
                .requests(after, Arrival.first(before), before, AT_ONCE)
                .chain(
                    some -> {
                      return drop(tx.oldRows(), over(some))
                          .map(dropped -> new Step<>(dropped, next(some)));
                    }));
  }

  /** What {@link #requests} would look at, and where a round goes on after it. */
  public Uni<List<Aged>> aged(long after, long before) {
    return store.read(tx -> tx.oldRows().requests(after, Arrival.first(before), before, AT_ONCE));
  }

  /** Drops one, if it is still the same and over. */
  public Uni<Integer> drop(Aged one, long before) {
    return store.transaction(
        NAME,
        tx ->
            tx.oldRows()
                .requests(one.seq() - 1, one.seq() + 1, before, AT_ONCE)
                .chain(
                    now ->
                        drop(
                            tx.oldRows(),
                            over(now).stream().filter(id -> id.equals(one.id())).toList())));
  }

  /** Where a round goes on after these. */
  public static Optional<Long> next(List<Aged> some) {
    return some.size() < AT_ONCE ? Optional.empty() : Optional.of(some.getLast().seq());
  }

  private static Uni<Integer> drop(OldRows rows, List<String> over) {
    if (over.isEmpty()) {
      return Uni.createFrom().item(0);
    }
    return rows.named(over)
        .chain(
            named -> {
              Set<String> wanted = new HashSet<>(named);
              List<String> unwanted = over.stream().filter(id -> !wanted.contains(id)).toList();
              return unwanted.isEmpty()
                  ? Uni.createFrom().item(0)
                  : rows.waitedFor(unwanted)
                      .chain(
                          waitedFor ->
                              rows.delete(unwanted)
                                  .call(() -> rows.deletePlaceholders(waitedFor))
                                  .replaceWith(unwanted.size()));
            });
  }

  /**
   * Lets some jobs be forgotten, and drops some.
   *
   * @param after the id behind which it goes on, empty at first
   */
  public Uni<Step<String>> jobs(String after, Deadlines deadlines) {
    return store.transaction(
        NAME,
        tx ->
            tx.oldRows()
                .jobs(after, deadlines.results(), AT_ONCE)
                .chain(
                    some -> {
                      Optional<String> next =
                          some.size() < AT_ONCE
                                  || Arrival.ms(some.getLast().seq()) >= deadlines.results()
                              ? Optional.empty()
                              : Optional.of(some.getLast().id());
                      return drop(tx.oldRows(), over(some), deadlines)
                          .map(dropped -> new Step<>(dropped, next));
                    }));
  }

  private static Uni<Integer> drop(OldRows rows, List<String> jobs, Deadlines deadlines) {
    if (jobs.isEmpty()) {
      return Uni.createFrom().item(0);
    }
    return rows.forget(jobs, deadlines.results()).chain(() -> rows.drop(jobs, deadlines.jobs()));
  }

  /** Drops cancels of ids that were never posted. Returns whether there may be others. */
  public Uni<Boolean> stops(long before) {
    return store
        .transaction(
            NAME, tx -> tx.now().chain(now -> tx.oldRows().deleteStops(now, before, AT_ONCE)))
        .map(dropped -> dropped == AT_ONCE);
  }

  /** Drops the counts of groups of which no request is left. */
  public Uni<Integer> groups(long before) {
    return store.transaction(NAME, tx -> tx.oldRows().dropGroups(before));
  }

  /** Unlists hosts of which nothing was heard since then. */
  public Uni<Integer> hosts(long before) {
    return store.transaction(NAME, tx -> tx.oldRows().unlistHosts(before));
  }

  private static List<String> over(List<Aged> some) {
    return some.stream().filter(Aged::over).map(Aged::id).toList();
  }
}
