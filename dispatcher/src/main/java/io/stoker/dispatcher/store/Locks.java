package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Locks that are no rows'. */
public final class Locks {
  private static final int CYCLES = 0x57_0CE1;

  private Locks() {}

  /** Held to the end of the transaction by whoever may close a cycle of dependencies. */
  public static Uni<Void> cycles(StatelessSession session) {
    return Queries.list(
            session,
            "select cast(pg_advisory_xact_lock(:key) as text)",
            Map.of("key", (long) CYCLES),
            row -> true)
        .replaceWithVoid();
  }
}
