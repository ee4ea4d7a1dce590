package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.fixture.FaultyProxy;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import jakarta.inject.Inject;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections whose other end is heard of no more. */
@QuarkusTest
@OnRealServices
@Timeout(300)
class SilentDatabaseTest {
  private static final Duration SILENCE = Duration.ofSeconds(4);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final int CONNECTIONS = 2;

  @Inject Vertx vertx;

  @ConfigProperty(name = "stoker.postgres.url")
  URI url;

  @ConfigProperty(name = "stoker.postgres.user")
  String user;

  @ConfigProperty(name = "stoker.postgres.password")
  String password;

  private FaultyProxy proxy;
  private Pool pool;

  @BeforeEach
  void connect() {
    int port = url.getPort();
    proxy = FaultyProxy.before(() -> port);
    PgConnectOptions options =
        new PgConnectOptions()
            .setHost("127.0.0.1")
            .setPort(proxy.port())
            .setDatabase(url.getPath().substring(1))
            .setUser(user)
            .setPassword(password);
    pool =
        new Connections(SILENCE, DatabaseTls.NONE)
            .create(new PoolInput(vertx, options, CONNECTIONS));
  }

  @AfterEach
  void close() {
    pool.close();
    proxy.close();
  }

  @Test
  void statements_on_silent_connections_fail_and_leave_the_pool_to_others() throws Exception {
    awaitAnswer();
    proxy.blackHole();
    // More than there are connections: those behind wait for new ones, which are not answered.
    List<Asked> asked = Stream.generate(this::asked).limit(2 * CONNECTIONS).toList();
    for (Asked one : asked) {
      assertThatThrownBy(one::answer).isInstanceOf(ExecutionException.class);
    }
    proxy.pass();
    awaitAnswer();
  }

  private interface Asked {
    int answer() throws Exception;
  }

  private Asked asked() {
    var future =
        pool.query("select 1")
            .execute()
            .map(rows -> rows.iterator().next().getInteger(0))
            .toCompletionStage()
            .toCompletableFuture();
    return () -> future.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  /**
   * Whoever answers late on a busy machine is taken for silent, too: then the next one is asked.
   */
  private void awaitAnswer() {
    await()
        .atMost(SOON)
        .ignoreExceptionsInstanceOf(ExecutionException.class)
        .untilAsserted(() -> assertThat(asked().answer()).isEqualTo(1));
  }
}
