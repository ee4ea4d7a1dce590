package io.stoker.dispatcher.coordinator.end;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.SetAsideEnd;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.store.Store;
import java.util.Collection;
import java.util.List;

/**
 * Ends requests for which a step fails each time, so that who waits for them is told. What their
 * jobs hold on hosts they hold until that is over there: nothing runs twice for it.
 */
public final class CodedEnd {
  private final Store store;
  private final Ends ends;

  public CodedEnd(Store store, CommitEvents commits, StatusPublisher statuses) {
    this.store = store;
    ends = new Ends(store, commits, statuses);
  }

  /** Ends these; what has ended stays as it is. */
  public Uni<Boolean> requests(Collection<String> requests, String step, String reason) {
    return ends.commit(
            "end set aside",
            tx -> tx.loadRequests(requests),
            ledger -> SetAsideEnd.end(ledger, requests, step, reason))
        .replaceWith(true);
  }

  /** Ends all requests of a job that have not ended. */
  public Uni<Boolean> job(String job, String step, String reason) {
    return store
        .read(tx -> tx.requests().sharing(List.of(job)))
        .chain(
            requests ->
                requests.isEmpty()
                    ? Uni.createFrom().item(false)
                    : requests(requests, step, reason));
  }
}
