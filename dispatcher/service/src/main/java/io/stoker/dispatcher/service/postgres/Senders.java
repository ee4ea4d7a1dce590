package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of who has sent what, by the login. */
public final class Senders {
  /** From one to the next by their index, however many requests a group has. */
  private static final String OF_GROUP =
      """
      with recursive sent(queue, sender) as (
        select cast('' as text) collate "C", cast('' as text)
        union all
        select next.queue, next.sender from sent s cross join lateral (
          select r.queue, coalesce(r.sent_by, '') as sender from request r
          where r.grp = cast(:grp as text)
            and (r.queue, coalesce(r.sent_by, '')) > (s.queue, s.sender)
          order by r.queue, coalesce(r.sent_by, '') limit 1) next)
      select nullif(sender, ''), queue from sent where queue <> ''
      """;

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
    return Queries.list(session, OF_GROUP, Map.of("grp", group), Senders::sent);
  }

  private static Sent sent(Row row) {
    return new Sent(Optional.ofNullable(row.text()), row.text());
  }
}
