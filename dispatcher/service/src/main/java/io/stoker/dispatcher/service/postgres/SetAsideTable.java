package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Trouble;
import io.stoker.dispatcher.runtime.TroubleBook;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * The table of inputs that a step fails for each time, as all replicas have noted them; for people
 * alone.
 */
public final class SetAsideTable {
  /** For so long what was given up is shown, ms. */
  private static final long ENDED_SHOWN_MS = 24 * 3_600_000L;

  /** What was not noted for so long is not tried any more: it has gone, or has had its effect. */
  private static final long STALE_MS = 2 * TroubleBook.LONGEST_PAUSE_MS;

  private static final Batch<Trouble> ROWS = new Batch<>("set_aside", 2, SetAsideTable::map);

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
        ROWS.select("s") + "where not (" + OLD + ") order by last_at desc, step, item limit :most",
        parameters,
        ROWS::map);
  }

  private static Trouble map(Row row) {
    return new Trouble(
        row.at("step", Trouble::step).text(),
        row.at("item", Trouble::item).text(),
        row.at("tries", Trouble::tries).integer(),
        row.at("aside", Trouble::aside).flag(),
        row.at("ended", Trouble::ended).flag(),
        row.at("since", Trouble::since).bigint(),
        row.at("last_at", Trouble::last).bigint(),
        row.at("next_at", Trouble::next).bigint(),
        row.at("reason", Trouble::reason).text());
  }
}
