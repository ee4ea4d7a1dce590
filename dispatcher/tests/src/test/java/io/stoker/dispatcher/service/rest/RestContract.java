package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import io.quarkus.test.common.http.TestHTTPResource;
import io.restassured.RestAssured;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.service.testing.FakeAgent;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * A host of the test's own that ends each job at once, with a result, but for those that are to be
 * endless, unless a test says otherwise; and how requests are posted by REST.
 */
abstract class RestContract {
  static final Duration SOON = Duration.ofSeconds(60);

  /** Commands that the fake agent never ends. */
  static final String ENDLESS = "endless";

  @ConfigProperty(name = "stoker.kafka.bootstrap-servers")
  String bootstrap;

  @TestHTTPResource("/hosts")
  URI hosts;

  final String host = host();

  FakeAgent agent;

  @BeforeAll
  void startAgent() {
    RestAssured.filters(new ApiCheck());
    agent =
        FakeAgent.start(
            bootstrap, new Topics(Topics.DEFAULT_PREFIX), host, resources(), this::ending);
    await().atMost(SOON).until(agent::welcomed);
  }

  /** What the host is called; one of its own for each class. */
  String host() {
    return "rest-host-" + id();
  }

  /** What the host has to give. */
  HostResources resources() {
    return FakeAgent.resources(host, 8);
  }

  /** How the host ends a job; not at all if empty. */
  Optional<Ending> ending(Place place) {
    return place.program().command().contains(ENDLESS)
        ? Optional.empty()
        : Optional.of(Ending.succeeded("0.75"));
  }

  @AfterAll
  void stopAgent() throws InterruptedException {
    RestAssured.replaceFiltersWith(List.of());
    agent.leave(hosts);
  }

  /** Where {@code GET /hosts} shows a field of this test's host. */
  String ofHost(String field) {
    return "hosts.find { it.host == '" + host + "' }." + field;
  }

  /** Posts requests as they are. */
  static ValidatableResponse post(String body) {
    return given().contentType(ContentType.JSON).body(body).post("/requests").then();
  }

  /** The request as it is once it is in a state. */
  static ValidatableResponse awaitState(String id, String state) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/requests/{id}", id)
                    .then()
                    .statusCode(200)
                    .body("state", equalTo(state)));
    return given().get("/requests/{id}", id).then().statusCode(200);
  }

  /** What is answered there. */
  static ValidatableResponse listed(String address) {
    return given().get(address).then();
  }

  /** A request that runs this. */
  static String request(String id, String work) {
    return "{\"id\":\"%s\",\"command\":[\"%s\"]}".formatted(id, work);
  }

  /** One of its own for each that is posted. */
  static String id() {
    return UUID.randomUUID().toString();
  }
}
