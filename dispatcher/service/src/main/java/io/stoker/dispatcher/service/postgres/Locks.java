package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Locks that are no rows'. */
final class Locks {
  private static final int CYCLES = 0x57_0CE1;
  private static final int KINDS = 0x57_0CE2;
  private static final int GROUPS = 0x57_0CE3;

  private Locks() {}

  /** Held to the end of the transaction by whoever may close a cycle of dependencies. */
  static Uni<Void> cycles(StatelessSession session) {
    return lock(session, CYCLES);
  }

  /** Held to the end of the transaction by whoever may put other kinds in force. */
  static Uni<Void> kinds(StatelessSession session) {
    return lock(session, KINDS);
  }

  /**
   * Held to the end of the transaction by whoever takes in requests of these groups, or puts jobs
   * of theirs in line; to be taken in a statement before, since one sees what was there before it
   * waited.
   */
  static Uni<Void> enter(StatelessSession session, Collection<String> groups) {
    return Queries.listOf(
            session,
            "select cast(pg_advisory_xact_lock_shared("
                + GROUPS
                + ", hashtext(g.name)) as text) from (select unnest(cast(:keys as text[])) as name"
                + " order by 1) g",
            groups,
            row -> true)
        .replaceWithVoid();
  }

  /**
   * Held to the end of the transaction by whoever gives a group its plan: what of it was on its way
   * in, or in line, without one has committed then, and what comes sees it.
   */
  static Uni<Void> plan(StatelessSession session, String group) {
    return Queries.list(
            session,
            "select cast(pg_advisory_xact_lock(" + GROUPS + ", hashtext(:name)) as text)",
            Map.of("name", group),
            row -> true)
        .replaceWithVoid();
  }

  /**
   * Held to the end of the transaction by whoever drops what holds for these groups.
   *
   * @return those of them that nobody has {@link #enter entered} who has not committed
   */
  static Uni<List<String>> leave(StatelessSession session, Collection<String> groups) {
    return Queries.listOf(
        session,
        "select g.name from (select unnest(cast(:keys as text[])) as name order by 1) g"
            + " where pg_try_advisory_xact_lock("
            + GROUPS
            + ", hashtext(g.name))",
        groups,
        Row::text);
  }

  private static Uni<Void> lock(StatelessSession session, long key) {
    return Queries.list(
            session,
            "select cast(pg_advisory_xact_lock(:key) as text)",
            Map.of("key", key),
            row -> true)
        .replaceWithVoid();
  }
}
