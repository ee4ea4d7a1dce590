package io.stoker.dispatcher.service.postgres;

/**
 * A transaction, as the rows show it that it wrote.
 *
 * @param number that they have as their {@code xmin}
 * @param server which runs since then, in microseconds since 1970. One that takes over from another
 *     may not have all that the other had committed, and gives these numbers away again
 */
record Writer(String number, long server) {
  /** Since when the server runs that a statement has reached, as an expression. */
  static final String SERVER =
      "cast(extract(epoch from pg_postmaster_start_time()) * 1000000 as bigint)";

  /** The transaction of a statement, as the columns that {@link #of} reads. */
  static final String COLUMNS = "cast(cast(pg_current_xact_id() as xid) as text), " + SERVER;

  static Writer of(Row row) {
    return new Writer(row.text(), row.bigint());
  }
}
