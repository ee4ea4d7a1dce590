package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.FreePorts;
import io.stoker.cli.stack.EmbeddedStack;
import io.stoker.cli.stack.StackOptions;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.testing.SelfSigned;
import io.stoker.dispatcher.service.testing.TlsSwitch;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.eclipse.microprofile.config.Config;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both drivers against a real server that speaks TLS, or does not. */
@Timeout(180)
class DatabaseTlsTest {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String ENCRYPTED =
      "select ssl from pg_stat_ssl where pid = pg_backend_pid()";

  @TempDir static Path folder;

  private static EmbeddedStack stack;
  private static Vertx vertx;
  private static SelfSigned server;
  private static SelfSigned another;

  @BeforeAll
  static void start() throws Exception {
    server = SelfSigned.make(folder, "server");
    another = SelfSigned.make(folder, "another");
    vertx = Vertx.vertx();
    stack =
        EmbeddedStack.start(new DataFolder(folder.resolve("stack")), StackOptions.BACKENDS_ONLY);
  }

  @AfterAll
  static void stop() throws IOException {
    vertx.close().toCompletionStage().toCompletableFuture().join();
    stack.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"require", "verify-full"})
  void whatIsAsked_isHad_byBothDrivers(String mode) throws Exception {
    TlsSwitch.postgres(plain(), server);
    DatabaseAddress address = address("127.0.0.1", mode, server);
    try (Connection connection = address.connect(60, 60);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(ENCRYPTED)) {
      rows.next();
      assertThat(rows.getBoolean(1)).isTrue();
    }
    assertThat(askReactive(address)).isTrue();
  }

  @Test
  void aServerWithoutTls_isRefused_byBothDrivers() throws Exception {
    TlsSwitch.postgresWithout(plain());
    DatabaseAddress address = address("127.0.0.1", "require", server);
    assertThatThrownBy(() -> address.connect(60, 60))
        .isInstanceOfSatisfying(
            SQLException.class,
            error ->
                assertThat(address.tls().problem(error).orElseThrow())
                    .contains("stoker.postgres.tls=require", "does not support SSL"));
    assertThatThrownBy(() -> askReactive(address))
        .hasRootCauseMessage("Postgres Server does not handle SSL connection");
  }

  /** The certificate is for 127.0.0.1, and is its own authority. */
  @ParameterizedTest
  @CsvSource({"127.0.0.1, another", "localhost, server"})
  void aCertificateOfAnotherAuthorityOrName_isRefused_byBothDrivers(String host, String authority)
      throws Exception {
    TlsSwitch.postgres(plain(), server);
    DatabaseAddress address =
        address(host, "verify-full", authority.equals("server") ? server : another);
    assertThatThrownBy(() -> address.connect(60, 60))
        .isInstanceOfSatisfying(
            SQLException.class,
            error ->
                assertThat(address.tls().problem(error).orElseThrow())
                    .contains("stoker.postgres.tls=verify-full", "stoker.postgres.tls.ca"));
    assertThatThrownBy(() -> askReactive(address))
        .satisfies(
            error ->
                assertThat(Fault.sentence(error) + Fault.cause(error, SSLException.class))
                    .contains("SSL"));
    // It is the name and the authority, and nothing else.
    DatabaseAddress anybody = address(host, "require", server);
    assertThatCode(() -> anybody.connect(60, 60).close()).doesNotThrowAnyException();
    assertThat(askReactive(anybody)).isTrue();
  }

  @Test
  void aStart_waitsForTheServersTls_andSaysSo() throws Exception {
    DatabaseAddress address = address("127.0.0.1", "require", server);
    Migration.migrate(plain());
    TlsSwitch.postgresWithout(plain());
    int port = FreePorts.one();
    StartGate gate =
        new StartGate(address, Optional::empty, new InetSocketAddress("127.0.0.1", port));
    Thread start = Thread.ofPlatform().daemon().start(gate::pass);
    try (HttpClient http = HttpClient.newHttpClient()) {
      await()
          .atMost(SOON)
          .ignoreException(java.net.ConnectException.class)
          .untilAsserted(
              () ->
                  assertThat(
                          http.send(
                                  HttpRequest.newBuilder(
                                          URI.create(
                                              "http://127.0.0.1:%d/q/health".formatted(port)))
                                      .build(),
                                  HttpResponse.BodyHandlers.ofString())
                              .body())
                      .contains("stoker.postgres.tls=require"));
    }
    TlsSwitch.postgres(plain(), server);
    assertThat(start.join(SOON)).as("the start goes on").isTrue();
  }

  @Test
  void whatCannotBeUsed_isRefusedByKeyAndValue() throws IOException {
    Path text = Files.writeString(folder.resolve("text"), "no certificate");
    String own = server.certificate().toString();
    refused(Map.of("", "maybe"), "stoker.postgres.tls", "maybe");
    refused(Map.of("", "verify-full"), "stoker.postgres.tls is verify-full", ".ca is not set");
    refused(Map.of("", "require", ".ca", own), "stoker.postgres.tls is require", ".ca is set");
    refused(Map.of(".ca", own), "stoker.postgres.tls is disable", ".ca");
    refused(Map.of("", "verify-full", ".ca", "/none"), "stoker.postgres.tls.ca is /none");
    refused(Map.of("", "verify-full", ".ca", text.toString()), "stoker.postgres.tls.ca is " + text);
    refused(Map.of("", "require", ".cert", own), "stoker.postgres.tls.key is not");
    refused(
        Map.of("", "require", ".cert", own, ".key", own),
        "stoker.postgres.tls.key is " + own,
        "EC");
    assertThatThrownBy(
            () ->
                DatabaseAddress.of(
                    config(
                        Map.of(
                            "stoker.postgres.url",
                            "postgresql://h:1/db?sslmode=disable",
                            "stoker.postgres.tls",
                            "require"))))
        .hasMessageContainingAll("stoker.postgres.tls is require", "stoker.postgres.url");
    assertThat(DatabaseAddress.of(config(Map.of())).tls()).isEqualTo(DatabaseTls.NONE);
  }

  private static void refused(Map<String, String> settings, String... said) {
    Map<String, String> byKey = new HashMap<>();
    settings.forEach((key, value) -> byKey.put("stoker.postgres.tls" + key, value));
    assertThatThrownBy(() -> DatabaseAddress.of(config(byKey)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContainingAll(said);
  }

  private static Config config(Map<String, String> settings) {
    return new SmallRyeConfigBuilder()
        .withSources(new PropertiesConfigSource(settings, "test", 1))
        .build();
  }

  private static DatabaseAddress plain() {
    return address("127.0.0.1", "disable", server);
  }

  private static DatabaseAddress address(String host, String mode, SelfSigned authority) {
    URI postgres = URI.create(stack.info().postgres());
    String[] owner = postgres.getUserInfo().split(":", 2);
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "stoker.postgres.url",
                "postgresql://%s:%d%s".formatted(host, postgres.getPort(), postgres.getPath()),
                "stoker.postgres.user",
                owner[0],
                "stoker.postgres.password",
                owner[1],
                "stoker.postgres.tls",
                mode));
    if (mode.equals("verify-full")) {
      settings.put("stoker.postgres.tls.ca", authority.certificate().toString());
    }
    return DatabaseAddress.of(config(settings));
  }

  /** Whether the connection on which it is asked is encrypted. */
  private static boolean askReactive(DatabaseAddress address) throws Exception {
    PgConnectOptions options =
        PgConnectOptions.fromUri(address.url())
            .setUser(address.user())
            .setPassword(address.password());
    Pool pool = new Connections(SOON, address.tls()).create(new PoolInput(vertx, options, 1));
    try {
      return pool.query(ENCRYPTED)
          .execute()
          .map(rows -> rows.iterator().next().getBoolean(0))
          .toCompletionStage()
          .toCompletableFuture()
          .get(60, TimeUnit.SECONDS);
    } finally {
      pool.close();
    }
  }
}
