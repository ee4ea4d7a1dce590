package io.stoker.dispatcher.service.postgres;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.PoolOptions;
import java.util.List;

/**
 * Of what {@link Connections} make a pool, without the container.
 *
 * @param most connections
 */
record PoolInput(Vertx vertx, PgConnectOptions options, int most) implements PgPoolCreator.Input {
  @Override
  public PoolOptions poolOptions() {
    return new PoolOptions().setMaxSize(most);
  }

  @Override
  public List<PgConnectOptions> pgConnectOptionsList() {
    return List.of(options);
  }
}
