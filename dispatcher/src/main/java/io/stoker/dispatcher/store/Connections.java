package io.stoker.dispatcher.store;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.PgPool;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Singleton;

/**
 * Makes the pool of connections. Statements that write a whole ledger are longer than the 2,048
 * characters up to which the client keeps prepared statements; without this each would be parsed
 * and planned anew at every use.
 */
@Singleton
public class Connections implements PgPoolCreator {
  private static final int LONGEST_KEPT = 64 * 1024;
  private static final int MOST_KEPT = 1024;

  @Override
  @SuppressWarnings(
      "deprecation") // the builder takes one server only, and a failover needs several
  public Pool create(Input input) {
    for (PgConnectOptions options : input.pgConnectOptionsList()) {
      options.setCachePreparedStatements(true);
      options.setPreparedStatementCacheSqlLimit(LONGEST_KEPT);
      options.setPreparedStatementCacheMaxSize(MOST_KEPT);
    }
    return PgPool.pool(input.vertx(), input.pgConnectOptionsList(), input.poolOptions());
  }
}
