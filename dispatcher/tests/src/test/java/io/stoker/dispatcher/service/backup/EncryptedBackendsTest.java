package io.stoker.dispatcher.service.backup;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import io.quarkus.test.common.TestResourceScope;
import io.quarkus.test.common.WithTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.postgres.DatabaseAddress;
import io.stoker.dispatcher.service.postgres.DatabaseTls;
import io.stoker.dispatcher.service.postgres.Migration;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.TlsStackResource;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.mutiny.redis.client.Request;
import jakarta.inject.Inject;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.eclipse.microprofile.config.Config;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A dispatcher whose Postgres and Redis take nobody without TLS and a certificate. */
@QuarkusTest
@WithTestResource(value = TlsStackResource.class, scope = TestResourceScope.RESTRICTED_TO_CLASS)
class EncryptedBackendsTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @Inject Config config;
  @Inject Redis redis;

  @Test
  void requestsRun_andEveryConnectionIsEncrypted() throws Exception {
    String id = UUID.randomUUID().toString();
    String host = "tls-" + id;
    try (FakeAgent agent =
        FakeAgent.start(
            config.getValue("stoker.kafka.bootstrap-servers", String.class),
            new Topics(Topics.DEFAULT_PREFIX),
            host,
            1,
            place -> Optional.of(Ending.succeeded("1")))) {
      await().atMost(SOON).until(agent::welcomed);
      given()
          .contentType(ContentType.JSON)
          .body("{\"id\":\"%s\",\"command\":[\"true\"]}".formatted(id))
          .post("/requests")
          .then()
          .statusCode(202);
      await()
          .atMost(SOON)
          .untilAsserted(
              () -> given().get("/requests/{id}", id).then().body("state", equalTo("SUCCEEDED")));
    }
    try (Sql sql = Sql.connect(DatabaseAddress.of(config))) {
      assertThat(
              sql.column(
                  "select distinct ssl::text from pg_stat_ssl join pg_stat_activity using (pid)"
                      + " where application_name = 'stoker-dispatcher'"))
          .containsExactly("true");
    }
    assertThat(redis.send(Request.cmd(Command.PING)).await().atMost(SOON).toString())
        .isEqualTo("PONG");
  }

  @Test
  void migrationAndBackup_goTheSameWay(@TempDir Path folder) throws Exception {
    Migration.migrate(DatabaseAddress.of(config));
    Backup.Taken taken =
        new Backup(Place.of(config), new Say(new PrintStream(OutputStream.nullOutputStream())))
            .take(folder.resolve("backup.zip"), false);
    assertThat(taken.tables()).isPositive();
  }

  @Test
  void whoComesWithout_isToldSo() {
    DatabaseAddress own = DatabaseAddress.of(config);
    DatabaseAddress plain =
        new DatabaseAddress(own.url(), own.user(), own.password(), DatabaseTls.NONE);
    assertThatThrownBy(() -> plain.open(Map.of("sslmode", "disable")))
        .hasMessageContaining("no encryption");
  }
}
