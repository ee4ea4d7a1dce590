package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Counts what a connection reads, as the database does. */
final class RowsRead {
  private RowsRead() {}

  /**
   * How many rows of a table it has read: those of its last transactions may be among them, so that
   * only the difference of two counts tells.
   */
  static Uni<Long> of(StatelessSession session, String table) {
    return Queries.single(
        session,
        "select cast(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as bigint)"
            + " from pg_stat_xact_user_tables where relname = :table",
        Map.of("table", table),
        Row::bigint);
  }
}
