package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of who has sent what, by the login. */
public final class Senders {
  private Senders() {}

  /**
   * Who has sent requests to a queue.
   *
   * @param sentBy empty if nobody had to say who they are
   */
  public record Sent(Optional<String> sentBy, String queue) {}

  /** Of a request; none if it was not posted yet. */
  public static Uni<List<Sent>> of(StatelessSession session, String id) {
    return Queries.list(
        session,
        "select r.sent_by, r.queue from request r where r.id = :id and r.queue is not null",
        Map.of("id", id),
        Senders::sent);
  }

  /** Of a group, each once. */
  public static Uni<List<Sent>> ofGroup(StatelessSession session, String group) {
    return Queries.list(
        session,
        "select distinct r.sent_by, r.queue from request r where r.grp = :grp",
        Map.of("grp", group),
        Senders::sent);
  }

  private static Sent sent(Row row) {
    return new Sent(Optional.ofNullable(row.text()), row.text());
  }
}
