package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.store.LaunchFailures;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Jobs that could not be started on a host, since something was started there. */
public record LaunchFailureTable(StatelessSession session) implements LaunchFailures {
  private static final Batch<LaunchFailure> ROWS =
      new Batch<LaunchFailure>("launch_failure")
          .key("host", "text", LaunchFailure::host)
          .key("job", "text", LaunchFailure::job)
          .column("at", "bigint", LaunchFailure::at);

  @Override
  public Uni<List<LaunchFailure>> all() {
    return Queries.list(
        session,
        "select f.host, f.job, f.at from launch_failure f order by f.host, f.at",
        Map.of(),
        row -> new LaunchFailure(row.text(), row.text(), row.bigint()));
  }

  @Override
  public Uni<Void> forget(Map<String, Long> started, long before) {
    Uni<Integer> done =
        Queries.execute(
            session, "delete from launch_failure where at <= :before", Map.of("before", before));
    for (Map.Entry<String, Long> host : started.entrySet()) {
      done =
          done.chain(
              () ->
                  Queries.execute(
                      session,
                      "delete from launch_failure where host = :host and at <= :at",
                      Map.of("host", host.getKey(), "at", host.getValue())));
    }
    return done.replaceWithVoid();
  }

  static Write insert(List<LaunchFailure> rows) {
    return ROWS.insert(rows, "(host, job) do update set at = excluded.at");
  }
}
