package io.stoker.dispatcher.coordinator.end;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.attempt.SetAsideEnd;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * Isolates what steps do for many items, and ends requests for which a step fails each time, so
 * that who waits for them is told. What their jobs hold on hosts they hold until that is over
 * there: nothing runs twice for it.
 *
 * @param asides what isolates items that end no request
 */
public record CodedEnd(Store store, Ends ends, SetAsides asides) {
  /**
   * What does a step for many items, of each of which a request ends.
   *
   * @see SetAsides#isolation
   */
  public <T> Isolation<T> ofRequests(
      String step,
      Function<T, String> key,
      Function<T, String> request,
      Function<List<T>, Uni<Void>> together) {
    return asides.isolation(
        step,
        key,
        together,
        (item, reason) -> requests(List.of(request.apply(item)), step, reason));
  }

  /** The same of items that are jobs, of which all requests end. */
  public <T> Isolation<T> ofJobs(
      String step, Function<T, String> job, Function<List<T>, Uni<Void>> together) {
    return asides.isolation(
        step, job, together, (item, reason) -> endJob(job.apply(item), step, reason));
  }

  /** Ends these; what has ended stays as it is. */
  private Uni<Boolean> requests(Collection<String> requests, String step, String reason) {
    return ends.commit(
            "end set aside",
            tx -> tx.loadRequests(requests),
            unit -> SetAsideEnd.end(unit, requests, step, reason))
        .replaceWith(true);
  }

  private Uni<Boolean> endJob(String job, String step, String reason) {
    return store
        .read(tx -> tx.requests().sharing(List.of(job)))
        .chain(
            requests ->
                requests.isEmpty()
                    ? Uni.createFrom().item(false)
                    : requests(requests, step, reason));
  }
}
