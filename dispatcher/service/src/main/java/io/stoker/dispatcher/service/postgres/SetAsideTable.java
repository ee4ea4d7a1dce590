package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Trouble;
import io.stoker.dispatcher.runtime.TroubleBook;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** What steps fail for each time, as all replicas have noted it; for people alone. */
public final class SetAsideTable {
  /** For so long what was given up is shown, ms. */
  private static final long ENDED_SHOWN_MS = 24 * 3_600_000L;

  /** What was not noted for so long is not tried any more: it has gone, or has had its effect. */
  private static final long STALE_MS = 2 * TroubleBook.LONGEST_PAUSE_MS;

  private static final Batch<Trouble> ROWS =
      new Batch<Trouble>("set_aside")
          .key("step", "text", Trouble::step)
          .key("item", "text", Trouble::item)
          .column("tries", "integer", Trouble::tries)
          .column("aside", "boolean", Trouble::aside)
          .column("ended", "boolean", Trouble::ended)
          .column("since", "bigint", Trouble::since)
          .column("last_at", "bigint", Trouble::last)
          .column("next_at", "bigint", Trouble::next)
          .column("reason", "text", Trouble::reason);

  private static final String OLD =
      "last_at < case when ended then cast(:ended as bigint) else cast(:stale as bigint) end";

  private SetAsideTable() {}

  /** Notes how something stands, and drops what is old. */
  public static Uni<Void> note(StatelessSession session, Trouble trouble) {
    Write row =
        ROWS.insert(
            List.of(trouble),
            "(step, item) do update set tries = excluded.tries, aside = excluded.aside,"
                + " ended = excluded.ended, last_at = excluded.last_at, next_at = excluded.next_at,"
                + " reason = excluded.reason");
    return Write.run(session, List.of(row))
        .chain(
            () ->
                Queries.execute(
                    session, "delete from set_aside where " + OLD, ends(trouble.last())))
        .replaceWithVoid();
  }

  private static Map<String, Object> ends(long now) {
    return Map.of("ended", now - ENDED_SHOWN_MS, "stale", now - STALE_MS);
  }

  /**
   * What fails, the newest failure first.
   *
   * @param now ms since 1970
   */
  public static Uni<List<Trouble>> all(StatelessSession session, long now, int most) {
    Map<String, Object> parameters = new HashMap<>(ends(now));
    parameters.put("most", most);
    return Queries.list(
        session,
        "select step, item, tries, aside, ended, since, last_at, next_at, reason from set_aside"
            + " where not ("
            + OLD
            + ") order by last_at desc, step, item limit :most",
        parameters,
        row ->
            new Trouble(
                row.text(),
                row.text(),
                row.integer(),
                row.flag(),
                row.flag(),
                row.bigint(),
                row.bigint(),
                row.bigint(),
                row.text()));
  }
}
