package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of groups whose reports are to be mailed, and of mails that were sent. */
public final class MailTable {
  private MailTable() {}

  /** Groups that ended after {@code since} and were not mailed, the first ones first. */
  public static Uni<List<String>> due(StatelessSession session, long since, int most) {
    String sql =
        "select c.grp from group_count c where c.closed_at is not null and c.mailed_at is null and"
            + " c.closed_at > :since and c.total <= c.succeeded + c.failed + c.cancelled and not exists"
            + " (select 1 from group_entry e where e.grp = c.grp) and not exists (select 1 from"
            + " experiment x where x.name = c.grp and x.ended_at is null) order by c.closed_at, c.grp"
            + " limit :most";
    return Queries.list(session, sql, Map.of("since", since, "most", most), Row::text);
  }

  /** When mails were sent. Until the transaction ends, nobody else sends one. */
  public static Uni<List<Long>> lockSent(StatelessSession session) {
    return Queries.execute(session, "lock table report_mail in exclusive mode", Map.of())
        .chain(
            () -> Queries.list(session, "select m.at from report_mail m", Map.of(), Row::bigint));
  }

  /** Notes that these groups are mailed now. */
  public static Uni<Void> sent(
      StatelessSession session, List<String> groups, long now, long forgetBefore) {
    return Queries.execute(
            session, "delete from report_mail where at < :old", Map.of("old", forgetBefore))
        .chain(
            () ->
                Queries.execute(
                    session, "insert into report_mail (at) values (:now)", Map.of("now", now)))
        .chain(
            () ->
                Queries.execute(
                    session,
                    "update group_count set mailed_at = :now where grp = any(cast(:groups as text[]))",
                    Map.of("now", now, "groups", Queries.array(groups))))
        .replaceWithVoid();
  }
}
