package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Loads requests for changes: their jobs first, with everyone who shares them. */
public final class RequestLoader {
  private RequestLoader() {}

  /**
   * A unit of work that holds these requests, their jobs with all that ends need, and the jobs'
   * other requests; fails with {@link ConcurrentInsert} if one was bound to a job meanwhile.
   */
  public static Uni<UnitOfWork> load(StatelessSession session, Collection<String> requests) {
    return new RequestTable(session)
        .read(requests)
        .map(
            rows -> rows.stream().map(RequestRow::job).filter(Objects::nonNull).distinct().toList())
        .chain(
            jobs ->
                new JobLoader(session, first -> {})
                    .load(jobs, true)
                    .call(unit -> new RequestTable(session).holdSharing(unit, jobs))
                    .call(
                        unit ->
                            new RequestTable(session)
                                .lock(requests)
                                .invoke(unit.requests()::loadAll)
                                .invoke(() -> check(unit, requests))));
  }

  /**
   * Makes sure that the jobs of these requests are held.
   *
   * @throws ConcurrentInsert if one was bound to another job after its job was looked up
   */
  public static void check(UnitOfWork unit, Collection<String> requests) {
    boolean elsewhere =
        requests.stream()
            .map(unit.requests()::find)
            .flatMap(Optional::stream)
            .map(RequestRow::job)
            .filter(Objects::nonNull)
            .anyMatch(job -> unit.jobs().find(job).isEmpty());
    if (elsewhere) {
      throw new ConcurrentInsert("request");
    }
  }
}
