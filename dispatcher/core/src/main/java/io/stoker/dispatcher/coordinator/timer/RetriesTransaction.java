package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.Backoff;
import io.stoker.dispatcher.model.BackoffRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import io.stoker.dispatcher.timer.RetriesDue;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds failed jobs whose wait is over, and puts them in line. */
public final class RetriesTransaction {
  private final Store store;
  private final int atOnce;
  private final long longestMs;

  /**
   * @param atOnce how many jobs are put in line in one transaction, at most
   * @param backoff how long they wait
   */
  public RetriesTransaction(Store store, int atOnce, Backoff backoff) {
    this.store = store;
    this.atOnce = atOnce;
    longestMs = backoff.mostMs();
  }

  /**
   * What was found.
   *
   * @param more whether others may be due behind these
   */
  record DueRetries(List<BackoffRow> due, boolean more, Optional<Long> nextInMs) {
    private static final DueRetries NOTHING = new DueRetries(List.of(), false, Optional.empty());
  }

  /** Those that are due, but for these. */
  Uni<DueRetries> find(Set<String> except) {
    return store.read(
        tx ->
            tx.backoffs()
                .next()
                .chain(
                    next ->
                        next.isEmpty()
                            ? Uni.createFrom().item(DueRetries.NOTHING)
                            : tx.now().chain(now -> due(tx, next.get(), now, except))));
  }

  private Uni<DueRetries> due(Transaction tx, long next, long now, Set<String> except) {
    return tx.backoffs()
        .due(now, now + longestMs, atOnce, except)
        .map(
            due ->
                new DueRetries(
                    due,
                    due.size() == atOnce,
                    next > now ? Optional.of(next - now) : Optional.empty()));
  }

  Uni<UnitOfWork> putInLine(List<BackoffRow> due) {
    List<String> jobs = due.stream().map(BackoffRow::job).toList();
    return store.transaction(
        "retries",
        tx -> tx.loadJobs(jobs, false).invoke(unit -> RetriesDue.apply(unit, due)).call(tx::write));
  }
}
