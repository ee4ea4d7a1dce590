package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.quarkus.test.common.http.TestHTTPResource;
import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;
import io.stoker.common.message.ToAgent;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import io.stoker.dispatcher.service.testing.StackResource;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import sun.misc.Signal;

/** Kinds by REST: filled in, shown, and read again while the dispatcher runs. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class KindsContractTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @ConfigProperty(name = "stoker.kafka.bootstrap-servers")
  String bootstrap;

  @ConfigProperty(name = "stoker.kinds.file")
  Path file;

  @TestHTTPResource("/hosts")
  URI hosts;

  private final String host = "kinds-host-" + UUID.randomUUID();
  private final Map<String, ToAgent.Place> placed = new ConcurrentHashMap<>();
  private FakeAgent agent;

  @BeforeAll
  void startAgent() {
    agent =
        FakeAgent.start(
            bootstrap,
            new Topics(Topics.DEFAULT_PREFIX),
            host,
            8,
            place -> {
              placed.put(place.request(), place);
              return Optional.of(Ending.succeeded("1"));
            });
    await().atMost(SOON).until(agent::welcomed);
  }

  @AfterAll
  void stopAgent() throws InterruptedException {
    agent.leave(hosts);
  }

  @AfterEach
  void putTheFileBack() throws IOException {
    Files.writeString(file, StackResource.KINDS);
    given().post("/reload").then().statusCode(200);
  }

  @Test
  void aRequestOfAKindRunsWhatTheKindBrings() {
    String id = id();
    post(id, "say", id).statusCode(202);
    awaitState(id, "SUCCEEDED");

    assertThat(placed.get(id).program().command()).containsExactly("say", id);
    given()
        .get("/kinds")
        .then()
        .statusCode(200)
        .body("generation", notNullValue())
        .body("kinds.kind", hasItem("say"))
        .body("kinds.find { it.kind == 'say' }.definition.labels.from", equalTo("say"));
  }

  @Test
  void whatAKindRefusesIsToldByField() {
    post(id(), "sing", "la").statusCode(400).body("field", equalTo("kind"));
    String body = "{\"id\":\"%s\",\"kind\":\"say\"}".formatted(id());
    given()
        .contentType("application/json")
        .body(body)
        .post("/requests")
        .then()
        .statusCode(400)
        .body("field", equalTo("params.text"))
        .body("expected", containsString("say"));
  }

  @Test
  void reloadPutsTheFileInForceAndLeavesWhatWasAccepted() throws IOException {
    String before = id();
    String waits = id();
    given()
        .contentType("application/json")
        .body(
            "{'id':'%s','kind':'say','params':{'text':'%s'},'dependsOn':['%s']}"
                .formatted(waits, waits, before)
                .replace('\'', '"'))
        .post("/requests")
        .then()
        .statusCode(202);
    awaitState(waits, "WAITING");
    int generation = given().get("/kinds").then().extract().path("generation");
    Files.writeString(file, "kinds:\n  shout:\n    command: [shout]\n");

    given()
        .post("/reload")
        .then()
        .statusCode(200)
        .body("applied", is(true))
        .body("kinds", equalTo(1))
        .body("generation", equalTo(generation + 1));
    given()
        .get("/q/health/ready")
        .then()
        .statusCode(200)
        .body(
            "checks.find { it.name == 'configuration' }.data.generation", equalTo(generation + 1));
    post(id(), "say", "gone").statusCode(400).body("expected", containsString("shout"));

    // The same again is the request that was accepted, though its kind is gone.
    given()
        .contentType("application/json")
        .body("{\"id\":\"%s\",\"command\":[\"before\"]}".formatted(before))
        .post("/requests")
        .then()
        .statusCode(202);
    awaitState(waits, "SUCCEEDED");
    assertThat(placed.get(waits).program().command()).containsExactly("say", waits);
  }

  @Test
  void aWrongFileIsRefusedByLineAndTheOldOneStays() throws IOException {
    Files.writeString(file, "kinds:\n  say:\n    command: [say]\n    gpus: 1\n");
    int generation = given().get("/kinds").then().extract().path("generation");

    given()
        .post("/reload")
        .then()
        .statusCode(400)
        .body("applied", is(false))
        .body("generation", equalTo(generation))
        .body("line", equalTo(4))
        .body("message", containsString("kinds.say.gpus: an unknown field"));

    String id = id();
    post(id, "say", id).statusCode(202);
    awaitState(id, "SUCCEEDED");
  }

  @Test
  void aFileThatIsGoneIsRefused() throws IOException {
    Files.delete(file);

    given().post("/reload").then().statusCode(400).body("message", containsString("NoSuchFile"));
  }

  @Test
  void theSameFileIsTheSameGeneration() {
    int generation = given().post("/reload").then().statusCode(200).extract().path("generation");

    given().post("/reload").then().statusCode(200).body("generation", equalTo(generation));
  }

  @Test
  void aSignalReloads() throws IOException {
    assumeFalse(hangUpIsIgnored(), "whoever is started by nohup hears no SIGHUP, as it should be");
    Files.writeString(file, "kinds:\n  hum:\n    command: [hum]\n");

    Signal.raise(new Signal("HUP"));

    await()
        .atMost(SOON)
        .untilAsserted(() -> given().get("/kinds").then().body("kinds.kind", hasItem("hum")));
  }

  /** A JVM leaves a signal ignored that was ignored when it started. */
  private static boolean hangUpIsIgnored() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("SigIgn:"))
        .map(line -> Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16))
        .anyMatch(ignored -> (ignored & 1) != 0);
  }

  private ValidatableResponse post(String id, String kind, String text) {
    return given()
        .contentType("application/json")
        .body(
            "{\"id\":\"%s\",\"kind\":\"%s\",\"params\":{\"text\":\"%s\"}}"
                .formatted(id, kind, text))
        .post("/requests")
        .then();
  }

  private static ValidatableResponse awaitState(String id, String state) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () -> given().get("/requests/{id}", id).then().body("state", equalTo(state)));
    return given().get("/requests/{id}", id).then();
  }

  private static String id() {
    return "kind-" + UUID.randomUUID();
  }
}
