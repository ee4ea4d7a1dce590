package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Locks that are no rows'. */
final class Locks {
  private static final int CYCLES = 0x57_0CE1;
  private static final int KINDS = 0x57_0CE2;

  private Locks() {}

  /** Held to the end of the transaction by whoever may close a cycle of dependencies. */
  static Uni<Void> cycles(StatelessSession session) {
    return lock(session, CYCLES);
  }

  /** Held to the end of the transaction by whoever may put other kinds in force. */
  static Uni<Void> kinds(StatelessSession session) {
    return lock(session, KINDS);
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
