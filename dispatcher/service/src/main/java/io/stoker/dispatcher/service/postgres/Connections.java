package io.stoker.dispatcher.service.postgres;

import io.quarkus.reactive.pg.client.PgPoolCreator;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.pgclient.spi.PgDriver;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.microprofile.config.Config;

/**
 * Makes the pool of connections. A connection on which nothing arrives for too long is closed by
 * this side, whether a statement waits on it, its handshake, or nothing: a network that swallows
 * what is said would otherwise hold a transaction for as long as the kernel sends it again, which
 * is a quarter of an hour. What waited fails as on any broken connection, and is tried again.
 *
 * <p>Statements that write a whole unit of work are longer than the 2,048 characters up to which
 * the client keeps prepared statements; without this each would be parsed and planned anew at every
 * use.
 *
 * <p>Who reads and waits for the answer has a few connections apart, whose statements end after a
 * second: however many look, and whatever they look for, the work goes on.
 */
@Singleton
public class Connections implements PgPoolCreator {
  private static final int LONGEST_KEPT = 64 * 1024;
  private static final int MOST_KEPT = 1024;
  private static final int READERS = 4;

  /** Nothing that they ask for shows that a server has become a standby, which lags behind. */
  private static final int READERS_LIVE_MINUTES = 5;

  /** Of people, who put filters together as they like: a plan takes tens of kB of the server. */
  private static final int MOST_KEPT_OF_READERS = 256;

  private static final String READ_MS = "1000";

  /** To a server in the same data centre it takes a few ms. */
  private static final Duration CONNECT = Duration.ofSeconds(5);

  private final Duration silence;
  private final DatabaseTls tls;

  @Inject
  Connections(StokerConfig config, Config all) {
    this(config.postgres().readTimeout(), DatabaseAddress.of(all).tls());
  }

  Connections(Duration silence, DatabaseTls tls) {
    this.silence = silence;
    this.tls = tls;
  }

  @Override
  public Pool create(Input input) {
    for (PgConnectOptions options : input.pgConnectOptionsList()) {
      options.setCachePreparedStatements(true);
      options.setPreparedStatementCacheSqlLimit(LONGEST_KEPT);
      options.setPreparedStatementCacheMaxSize(MOST_KEPT);
      options.setConnectTimeout((int) Math.min(CONNECT.toMillis(), silence.toMillis()));
      options.setTcpKeepAlive(true);
      tls.give(options);
    }
    PgDriver driver = new WatchedConnections(silence);
    Pool work = driver.createPool(input.vertx(), input.pgConnectOptionsList(), input.poolOptions());
    List<PgConnectOptions> ofReaders =
        input.pgConnectOptionsList().stream()
            .map(PgConnectOptions::new)
            .map(options -> options.addProperty("statement_timeout", READ_MS))
            .peek(options -> options.setPreparedStatementCacheMaxSize(MOST_KEPT_OF_READERS))
            .toList();
    PoolOptions few =
        new PoolOptions(input.poolOptions())
            .setMaxSize(READERS)
            .setMaxLifetime(READERS_LIVE_MINUTES)
            .setMaxLifetimeUnit(TimeUnit.MINUTES);
    return TwoPools.of(work, driver.createPool(input.vertx(), ofReaders, few));
  }
}
