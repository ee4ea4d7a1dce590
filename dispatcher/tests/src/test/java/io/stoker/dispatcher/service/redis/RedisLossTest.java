package io.stoker.dispatcher.service.redis;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.status.StatusView;
import io.vertx.mutiny.redis.client.Command;
import io.vertx.mutiny.redis.client.Redis;
import io.vertx.mutiny.redis.client.Request;
import io.vertx.mutiny.redis.client.Response;
import jakarta.inject.Inject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Redis empty, slow or dead: requests run and are answered as with it. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RedisLossTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  /**
   * Far more than a breaker and a database need, also where all stands still for a while; less than
   * the 30 s after which a connection to a Redis that is stopped is closed.
   */
  private static final long PROMPT_MS = 25_000;

  @Inject Redis redis;
  @Inject ReadView view;
  @Inject Environment environment;
  @Inject FastMemory memory;

  @ConfigProperty(name = "stoker.kafka.bootstrap-servers")
  String bootstrap;

  private final String host = "redis-host-" + UUID.randomUUID();
  private FakeAgent agent;

  @BeforeAll
  void startAgent() {
    agent =
        FakeAgent.start(
            bootstrap,
            new Topics(Topics.DEFAULT_PREFIX),
            host,
            4,
            place -> Optional.of(Ending.succeeded("{\"of\":\"" + place.request() + "\"}")));
    await().atMost(SOON).until(agent::welcomed);
  }

  @AfterAll
  void stopAgent() throws InterruptedException {
    agent.close();
  }

  @Test
  void aFinalStatusIsAnsweredFromRedis() {
    String id = run();
    double before = hits();
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> {
              assertAnswered(id);
              assertThat(hits()).isGreaterThan(before);
            });
  }

  @Test
  void anEmptiedRedisIsFilledAgain() {
    String id = run();
    send(Request.cmd(Command.FLUSHALL));
    send(Request.cmd(Command.SCRIPT).arg("FLUSH"));
    await()
        .atMost(SOON)
        .until(
            () -> {
              assertAnswered(id);
              return held(id).isPresent();
            });
    assertAnswered(run());
  }

  @Test
  void anOlderStatusNeverReplacesANewerOne() {
    String id = "guarded-" + UUID.randomUUID();
    remember(status(id, RequestState.SUCCEEDED, 7));
    view.remember(List.of(status(id, RequestState.RUNNING, 6)));
    view.remember(List.of(StatusView.rejected(id, null, Code.INVALID_REQUEST, "late", 1)));
    String later = "later-" + UUID.randomUUID();
    remember(status(later, RequestState.SUCCEEDED, 1));
    // A server that is slow to answer counts as one that does not hold it.
    RequestStatus held = await().atMost(SOON).until(() -> held(id), Optional::isPresent).get();
    assertThat(held.state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void aStatusThatMayChangeIsNotRemembered() {
    String live = "live-" + UUID.randomUUID();
    String ended = "ended-" + UUID.randomUUID();
    view.remember(List.of(status(live, RequestState.RUNNING, 3)));

    remember(status(ended, RequestState.SUCCEEDED, 3));

    assertThat(send(Request.cmd(Command.EXISTS).arg("stoker.status:" + live)).toLong()).isZero();
  }

  /** The restored database may not know of that end any more. */
  @Test
  void anEndOfBeforeARestoreIsNotBelieved() {
    String id = "lost-" + UUID.randomUUID();
    remember(view, status(id, RequestState.SUCCEEDED, 3));

    ReadView restored =
        new ReadView(
            environment,
            memory,
            new Topics(Topics.DEFAULT_PREFIX),
            new SimpleMeterRegistry(),
            () -> Uni.createFrom().item(1_700_000_000_000L));
    String since = "since-" + UUID.randomUUID();
    remember(restored, status(since, RequestState.SUCCEEDED, 3));

    // A server that is slow to answer counts as one that holds nothing: until this one does answer.
    await()
        .atMost(SOON)
        .until(
            () -> {
              assertThat(held(restored, id)).isEmpty();
              assertThat(held(view, since)).isEmpty();
              return held(restored, since).isPresent();
            });
  }

  @Test
  void aRefusalInRedisDoesNotHideAnAcceptedRequest() {
    String id = run();
    send(Request.cmd(Command.DEL).arg("stoker.status:" + id));
    remember(StatusView.rejected(id, null, Code.INVALID_REQUEST, "other content", 1));
    assertAnswered(id);
    String refused = "refused-" + UUID.randomUUID();
    remember(StatusView.rejected(refused, null, Code.INVALID_REQUEST, "no command", 1));
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/requests/{id}", refused)
                    .then()
                    .statusCode(200)
                    .body("state", equalTo("REJECTED")));
    // A cancel would end whatever is posted under that id next.
    given().delete("/requests/{id}", refused).then().statusCode(404);
  }

  @Test
  void aStoppedRedisCostsNobodyTheirAnswer() throws Exception {
    String id = run();
    String pid = pid();
    signal("STOP", pid);
    try {
      for (int i = 0; i < 10; i++) {
        assertPromptlyAnswered(id);
      }
      assertPromptlyAnswered(run());
      await().atMost(SOON).until(RedisLossTest::nowSaysThatItIsAway);
    } finally {
      signal("CONT", pid);
    }
    awaitView();
    await().atMost(SOON).until(() -> !nowSaysThatItIsAway());
  }

  @Test
  void aKilledRedisChangesNothing() throws Exception {
    String before = run();
    signal("KILL", pid());
    String during = run();
    assertAnswered(before);
    assertAnswered(during);
    // The embedded stack starts it again.
    awaitView();
    assertAnswered(before);
    assertAnswered(during);
  }

  private static boolean nowSaysThatItIsAway() {
    return given()
        .accept(ContentType.JSON)
        .get("/")
        .then()
        .statusCode(200)
        .extract()
        .<List<String>>path("troubles.what")
        .contains("Redis");
  }

  private void awaitView() {
    remember(status("probe-" + UUID.randomUUID(), RequestState.SUCCEEDED, 1));
  }

  /** A write may be left out while Redis is slow: it is tried until it is there. */
  private void remember(RequestStatus status) {
    remember(view, status);
  }

  private static void remember(ReadView view, RequestStatus status) {
    await()
        .atMost(SOON)
        .until(
            () -> {
              view.remember(List.of(status));
              return held(view, status.id()).isPresent();
            });
  }

  private Optional<RequestStatus> held(String id) {
    return held(view, id);
  }

  private static Optional<RequestStatus> held(ReadView view, String id) {
    return view.find(id).await().atMost(SOON);
  }

  private String run() {
    String id = UUID.randomUUID().toString();
    given()
        .contentType(ContentType.JSON)
        .body(
            """
            {"id":"%1$s","command":["%1$s"],"resources":{"require":{"only":"%2$s"}}}
            """
                .formatted(id, host))
        .post("/requests")
        .then()
        .statusCode(202);
    await().atMost(SOON).untilAsserted(() -> assertAnswered(id));
    return id;
  }

  private static void assertAnswered(String id) {
    given()
        .get("/requests/{id}", id)
        .then()
        .statusCode(200)
        .body("state", equalTo("SUCCEEDED"))
        .body("result.of", equalTo(id));
  }

  private static void assertPromptlyAnswered(String id) {
    long start = System.nanoTime();
    assertAnswered(id);
    assertThat(Duration.ofNanos(System.nanoTime() - start).toMillis()).isLessThan(PROMPT_MS);
  }

  private static double hits() {
    return given()
        .get("/q/metrics")
        .body()
        .asString()
        .lines()
        .filter(line -> line.startsWith("stoker_redis_reads_total{outcome=\"hit\"}"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' ') + 1)))
        .sum();
  }

  private String pid() {
    return send(Request.cmd(Command.INFO).arg("server"))
        .toString()
        .lines()
        .filter(line -> line.startsWith("process_id:"))
        .map(line -> line.substring("process_id:".length()).strip())
        .findFirst()
        .orElseThrow();
  }

  private Response send(Request request) {
    return redis.send(request).await().atMost(SOON);
  }

  private static void signal(String name, String pid) throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("kill", "-" + name, pid).inheritIO().start().waitFor()).isZero();
  }

  private static RequestStatus status(String id, RequestState state, long version) {
    Map<String, Object> fields =
        Map.of(
            "id",
            id,
            "state",
            state,
            "version",
            version,
            "shared",
            false,
            "cached",
            false,
            "stopRequested",
            false,
            "at",
            "2026-01-01T00:00:00Z");
    try {
      return Json.read(Json.tree(fields), RequestStatus.class);
    } catch (MalformedJson e) {
      throw new AssertionError(e);
    }
  }
}
