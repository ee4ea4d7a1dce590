package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of groups whose reports are to be mailed, and of mails that were sent. */
public final class MailTable {
  /** Through the index of groups that are still to be mailed: what is left out leaves it, too. */
  private static final String DUE =
      """
      with ended as (
        select c.grp,
          greatest(c.closed_at, coalesce(c.last_end_at, 0), coalesce(x.ended_at, 0)) as at
        from group_count c left join experiment x on x.name = c.grp
        where c.closed_at is not null and c.mailed_at is null
          and c.total <= c.succeeded + c.failed + c.cancelled
          and (x.name is null or x.ended_at is not null)
          and not exists (select 1 from group_entry e where e.grp = c.grp)),
      left_out as (
        update group_count set mailed_at = 0
        where grp in (select grp from ended where at <= :since))
      select grp from ended where at > :since order by at, grp limit :most
      """;

  private MailTable() {}

  /**
   * Groups that ended after {@code since} and were not mailed, the first ones first. Those that
   * ended before are left out for good.
   */
  public static Uni<List<String>> due(StatelessSession session, long since, int most) {
    return Queries.list(session, DUE, Map.of("since", since, "most", most), Row::text);
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
