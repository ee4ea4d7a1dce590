package io.stoker.dispatcher.api;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import io.stoker.common.message.ToAgent.SetDevices;
import io.stoker.common.message.ToAgent.SetPolicy;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.testing.FakeAgent;
import io.stoker.dispatcher.testing.FakeAgent.Ending;
import io.stoker.dispatcher.testing.OnRealServices;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What scripts and the command line rely on. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestContractTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  /** Commands that the fake agent never ends. */
  private static final String ENDLESS = "endless";

  @ConfigProperty(name = "stoker.kafka.bootstrap-servers")
  String bootstrap;

  private final String host = "rest-host-" + id();
  private FakeAgent agent;

  @BeforeAll
  void startAgent() {
    agent =
        FakeAgent.start(
            bootstrap,
            new Topics(Topics.DEFAULT_PREFIX),
            host,
            8,
            place ->
                place.command().contains(ENDLESS)
                    ? Optional.empty()
                    : Optional.of(Ending.succeeded("0.75")));
    await().atMost(SOON).until(agent::welcomed);
  }

  @AfterAll
  void stopAgent() throws InterruptedException {
    agent.close();
  }

  @Test
  void aPostedRequestRunsAndItsStatusTellsItsResult() {
    String id = id();
    post(request(id, "work")).statusCode(202).body("id", equalTo(id));
    awaitState(id, "SUCCEEDED")
        .body("id", equalTo(id))
        .body("version", notNullValue())
        .body("job", notNullValue())
        .body("fingerprint", notNullValue())
        .body("attempt", equalTo(1))
        .body("host", equalTo(host))
        .body("result", equalTo(0.75f))
        .body("score", equalTo(0.75f))
        .body("exitCode", equalTo(0))
        .body("shared", is(false))
        .body("cached", is(false))
        .body("code", nullValue());
  }

  @Test
  void anEqualRequestLaterIsAnsweredAtOnce() {
    String first = id();
    String second = id();
    String work = "work-" + first;
    post(request(first, work)).statusCode(202);
    awaitState(first, "SUCCEEDED");
    post(request(second, work)).statusCode(202);
    awaitState(second, "SUCCEEDED").body("cached", is(true)).body("shared", is(true));
  }

  @Test
  void anArrayAndLinesArePostedWhole() {
    String a = id();
    String b = id();
    post("[" + request(a, "x") + "," + request(b, "y") + "]")
        .statusCode(202)
        .body("ids", equalTo(java.util.List.of(a, b)));
    String c = id();
    String d = id();
    given()
        .contentType("application/x-ndjson")
        .body((request(c, "x") + "\n\n" + request(d, "y") + "\n").getBytes())
        .post("/requests")
        .then()
        .statusCode(202)
        .body("ids", equalTo(java.util.List.of(c, d)));
    for (String id : java.util.List.of(a, b, c, d)) {
      awaitState(id, "SUCCEEDED");
    }
  }

  @Test
  void aBadRequestIsToldByFieldValueAndWhatWasExpected() {
    post("{\"id\":\"" + id() + "\",\"command\":[\"true\"],\"resources\":{\"memory\":\"4Gb\"}}")
        .statusCode(400)
        .body("field", equalTo("resources.memory"))
        .body("value", equalTo("\"4Gb\""))
        .body("expected", notNullValue())
        .body("message", containsString("resources.memory"));
    post("not json").statusCode(400).body("field", equalTo("request"));
    post("[]").statusCode(400).body("message", containsString("at least one request"));
    post("").statusCode(400);
  }

  @Test
  void ofSeveralNoneIsPostedIfOneIsBad() {
    String good = id();
    post("[" + request(good, "x") + ",{\"id\":\"-\",\"gpus\":1}]").statusCode(400);
    String later = id();
    post(request(later, "x")).statusCode(202);
    awaitState(later, "SUCCEEDED");
    given().get("/requests/{id}", good).then().statusCode(404);
  }

  @Test
  void anIdBelongsToItsContent() {
    String id = id();
    post(request(id, "one")).statusCode(202);
    awaitState(id, "SUCCEEDED");
    post(request(id, "one")).statusCode(202);
    post(request(id, "other"))
        .statusCode(409)
        .body("field", equalTo("id"))
        .body("value", equalTo(id))
        .body("message", containsString("other content"));
    post("[" + request("twice-" + id, "a") + "," + request("twice-" + id, "b") + "]")
        .statusCode(409);
  }

  @Test
  void whatIsUnknownIsNotFound() {
    String id = "nobody-posted-" + id();
    given().get("/requests/{id}", id).then().statusCode(404).body("value", equalTo(id));
    given().delete("/requests/{id}", id).then().statusCode(404).body("value", equalTo(id));
    given().get("/requests/{id}/logs", id).then().statusCode(404).body("value", equalTo(id));
    given().get("/explain/{id}", id).then().statusCode(404).body("value", equalTo(id));
    given().post("/requests/{id}/retry", id).then().statusCode(404).body("value", equalTo(id));
    given().post("/requests/{id}/forget", id).then().statusCode(404).body("value", equalTo(id));
    given().post("/hosts/{host}/cordon", id).then().statusCode(404).body("value", equalTo(id));
    given().get("/no-such-page").then().statusCode(404).body(not(containsString("Exception")));
  }

  @Test
  void aRunningRequestIsCancelled() {
    String id = id();
    post(request(id, ENDLESS)).statusCode(202);
    awaitState(id, "RUNNING");
    given().get("/explain/{id}", id).then().statusCode(200).body("label", equalTo("RUNNING"));
    given()
        .queryParam("reason", "not needed")
        .delete("/requests/{id}", id)
        .then()
        .statusCode(202)
        .body("id", equalTo(id));
    awaitState(id, "CANCELLED")
        .body("code", equalTo("CANCELLED"))
        .body("reason", containsString("not needed"))
        .body("stopRequested", is(true));
  }

  @Test
  void aCancelledRequestIsRetriedUnderANewId() {
    String id = id();
    post(request(id, ENDLESS + "\",\"" + id)).statusCode(202);
    awaitState(id, "RUNNING");
    given().post("/requests/{id}/retry", id).then().statusCode(409).body("value", equalTo(id));
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");

    String retry =
        given()
            .post("/requests/{id}/retry", id)
            .then()
            .statusCode(202)
            .body("retryOf", equalTo(id))
            .extract()
            .path("id");
    awaitState(retry, "RUNNING");
    given().delete("/requests/{id}", retry).then().statusCode(202);
    awaitState(retry, "CANCELLED");
    given()
        .contentType(ContentType.JSON)
        .body("{\"as\":\"%s\"}".formatted(retry))
        .post("/requests/{id}/retry", id)
        .then()
        .statusCode(409);
    given()
        .contentType(ContentType.JSON)
        .body("{\"as\":\"no id!\"}")
        .post("/requests/{id}/retry", id)
        .then()
        .statusCode(400)
        .body("field", equalTo("as"));
    awaitState(id, "CANCELLED");
  }

  @Test
  void aRememberedResultIsForgotten() {
    String first = id();
    String second = id();
    String third = id();
    post(request(first, "w-" + first)).statusCode(202);
    String fingerprint = awaitState(first, "SUCCEEDED").extract().path("fingerprint");
    given().post("/requests/{id}/forget", first).then().statusCode(202).body("id", equalTo(first));
    await()
        .atMost(SOON)
        .untilAsserted(() -> given().delete("/results/{f}", fingerprint).then().statusCode(404));
    post(request(second, "w-" + first)).statusCode(202);
    awaitState(second, "SUCCEEDED").body("cached", is(false));

    given()
        .delete("/results/{f}", fingerprint)
        .then()
        .statusCode(202)
        .body("fingerprint", equalTo(fingerprint));
    await()
        .atMost(SOON)
        .untilAsserted(() -> given().delete("/results/{f}", fingerprint).then().statusCode(404));
    post(request(third, "w-" + first)).statusCode(202);
    awaitState(third, "SUCCEEDED").body("cached", is(false));
    given()
        .delete("/results/{f}", "abc")
        .then()
        .statusCode(400)
        .body("field", equalTo("fingerprint"));
    given().post("/requests/{id}/retry", third).then().statusCode(409);
  }

  @Test
  void aPriorityIsChangedWhileTheRequestHasNotEnded() {
    String id = id();
    post("{\"id\":\"%s\",\"command\":[\"x\"],\"dependsOn\":[\"no-%s\"]}".formatted(id, id))
        .statusCode(202);
    awaitState(id, "WAITING");
    prioritise(id, "7").statusCode(202).body("id", equalTo(id));
    prioritise(id, "1001").statusCode(400).body("field", equalTo("priority"));
    prioritise(id, "null").statusCode(400);
    prioritise(id, "\"x\"").statusCode(400);
    prioritise("nobody-" + id, "1").statusCode(404);
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
    prioritise(id, "1").statusCode(409);
  }

  private static ValidatableResponse prioritise(String id, String priority) {
    return given()
        .contentType(ContentType.JSON)
        .body("{\"priority\":" + priority + "}")
        .post("/requests/{id}/priority", id)
        .then();
  }

  @Test
  void aGroupTellsHowFarItIsAndWhatCameOfIt() {
    String group = id();
    String good = id();
    String runs = id();
    String shares = id();
    String work = ENDLESS + "\",\"" + group;
    given().get("/groups/{g}", group).then().statusCode(404).body("value", equalTo(group));
    given().post("/groups/{g}", group).then().statusCode(202).body("group", equalTo(group));
    awaitGroup(group, "total", 0).body("state", equalTo("OPEN")).body("progress", equalTo(0f));
    post(inGroup(group, request(good, "x-" + group))).statusCode(202);
    awaitState(good, "SUCCEEDED");
    post(inGroup(group, request(runs, work))).statusCode(202);
    awaitState(runs, "RUNNING");
    post(inGroup(group, request(shares, work))).statusCode(202);
    awaitState(shares, "RUNNING");
    awaitGroup(group, "total", 3)
        .body("running", equalTo(2))
        .body("succeeded", equalTo(1))
        .body("done", equalTo(1));
    given().post("/groups/{g}/close", group).then().statusCode(202);
    awaitGroup(group, "state", "CLOSED").body("endedAt", nullValue());
    given().delete("/requests/{id}", runs).then().statusCode(202);
    awaitState(runs, "CANCELLED");
    given().delete("/requests/{id}", shares).then().statusCode(202);
    awaitState(shares, "CANCELLED");

    awaitGroup(group, "state", "ENDED")
        .body("cancelled", equalTo(2))
        .body("waiting", equalTo(0))
        .body("running", equalTo(0))
        .body("progress", equalTo(1f))
        .body("endedAt", notNullValue())
        .body("elapsed", matchesPattern("[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}"));
    given()
        .get("/groups/{g}/report", group)
        .then()
        .statusCode(200)
        .body("group.total", equalTo(3))
        .body("requests.id", equalTo(java.util.List.of(good, runs, shares)))
        .body("requests[0].score", equalTo(0.75f))
        .body("requests[0].time", notNullValue())
        .body("requests[1].state", equalTo("CANCELLED"))
        .body("next", nullValue());
    given().get("/groups").then().statusCode(200).body("groups.group", hasItem(group));
    given().queryParam("after", "x").get("/groups/{g}/report", group).then().statusCode(400);
  }

  @Test
  void anEmptyGroupHasEndedOnceItIsClosed() {
    String group = id();
    given().post("/groups/{g}/close", group).then().statusCode(202);
    awaitGroup(group, "state", "ENDED").body("total", equalTo(0)).body("progress", equalTo(1f));
  }

  private static String inGroup(String group, String request) {
    return request.replaceFirst("[{]", "{\"group\":\"" + group + "\",");
  }

  private static ValidatableResponse awaitGroup(String group, String field, Object value) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/groups/{g}", group)
                    .then()
                    .statusCode(200)
                    .body(field, equalTo(value)));
    return given().get("/groups/{g}", group).then();
  }

  @Test
  void aWaitingRequestSaysWhatItWaitsFor() {
    String id = id();
    String missing = "missing-" + id;
    post("{\"id\":\"%s\",\"command\":[\"x\"],\"dependsOn\":[\"%s\"]}".formatted(id, missing))
        .statusCode(202);
    awaitState(id, "WAITING");
    given()
        .get("/explain/{id}", id)
        .then()
        .statusCode(200)
        .body("state", equalTo("WAITING"))
        .body("label", equalTo("DEPENDENCIES"))
        .body("waitsFor[0].id", equalTo(missing))
        .body("waitsFor[0].state", nullValue())
        .body("sentence", containsString(missing + " (never posted)"));
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
  }

  @Test
  void aQueuedRequestSaysWhyItIsNotPlaced() {
    String id = id();
    post("""
            {"id":"%s","command":["x"],"resources":{"require":{"model":"H900"}},"queue":"lab"}
            """
            .formatted(id))
        .statusCode(202);
    awaitState(id, "QUEUED");
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/explain/{id}", id)
                    .then()
                    .statusCode(200)
                    .body("label", equalTo("NEVER"))
                    .body("sentence", containsString("H900"))
                    .body("line.queue", equalTo("lab"))
                    .body("line.place", equalTo(1))
                    .body("line.atLeast", is(false))
                    .body("line.ahead", empty())
                    .body("expected", nullValue())
                    .body(says("obstacle"), equalTo("LABEL"))
                    .body(says("sentence"), containsString("has not model=H900")));
    String behind = id();
    post("""
            {"id":"%s","command":["y"],"resources":{"require":{"model":"H900"}},"queue":"lab"}
            """
            .formatted(behind))
        .statusCode(202);
    awaitState(behind, "QUEUED");
    given()
        .get("/explain/{id}", behind)
        .then()
        .statusCode(200)
        .body("line.place", equalTo(2))
        .body("line.ahead", equalTo(java.util.List.of(id)));
    given().delete("/requests/{id}", behind).then().statusCode(202);
    awaitState(behind, "CANCELLED");
    given()
        .get("/queues")
        .then()
        .statusCode(200)
        .body("queues.find { it.queue == 'lab' }.queued", equalTo(1));
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
  }

  @Test
  void requestsAreListedNewestFirstAndPaged() {
    String group = "g-" + id();
    String one = id();
    String two = id();
    String three = id();
    for (String id : java.util.List.of(one, two, three)) {
      post("{\"id\":\"%s\",\"command\":[\"x\"],\"group\":\"%s\",\"params\":{\"of\":\"%s\"}}"
              .formatted(id, group, id))
          .statusCode(202);
      awaitState(id, "SUCCEEDED");
    }
    String next =
        list(group, "limit", "2")
            .body("requests.id", equalTo(java.util.List.of(three, two)))
            .body("requests[0].state", equalTo("SUCCEEDED"))
            .extract()
            .path("next");
    given()
        .queryParam("group", group)
        .queryParam("limit", "2")
        .queryParam("after", next)
        .get("/requests")
        .then()
        .statusCode(200)
        .body("requests.id", equalTo(java.util.List.of(one)))
        .body("next", nullValue());
    list(group, "state", "succeeded").body("requests.size()", equalTo(3));
    list(group, "state", "FAILED").body("requests.size()", equalTo(0));
    list(group, "queue", "another").body("requests.size()", equalTo(0));
    list(group, "state", "WAITING").body("requests.size()", equalTo(0));
  }

  @Test
  void badParametersOfListsAreToldByName() {
    given().get("/requests?state=ODD").then().statusCode(400).body("field", equalTo("state"));
    given().get("/requests?limit=0").then().statusCode(400).body("field", equalTo("limit"));
    given().get("/requests?limit=many").then().statusCode(400).body("field", equalTo("limit"));
    given().get("/requests?after=x").then().statusCode(400).body("field", equalTo("after"));
  }

  @Test
  void theOutputOfAJobIsShown() {
    String id = id();
    post(request(id, "work-" + id)).statusCode(202);
    awaitState(id, "SUCCEEDED");
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/requests/{id}/logs", id)
                    .then()
                    .statusCode(200)
                    .contentType(ContentType.TEXT)
                    .body(equalTo("done\n")));
    given()
        .queryParam("json", true)
        .queryParam("follow", true)
        .get("/requests/{id}/logs", id)
        .then()
        .statusCode(200)
        .contentType("application/x-ndjson")
        .body(containsString("\"request\":\"" + id + "\""))
        .body(containsString("\"last\":true"));
  }

  @Test
  void followingAJobEndsWithIt() {
    String id = id();
    post(request(id, "follow-" + id)).statusCode(202);
    await().atMost(SOON).until(() -> given().get("/requests/{id}", id).statusCode() == 200);
    given()
        .queryParam("follow", true)
        .get("/requests/{id}/logs", id)
        .then()
        .statusCode(200)
        .body(equalTo("done\n"));
  }

  /** What people tell a host reaches its agent: now, and again at its next start. */
  private void policyIsTold(String host) throws InterruptedException {
    given()
        .contentType("application/json")
        .body("{\"policy\":\"auto\",\"parameters\":{\"put-interval\":\"2s\"}}")
        .post("/hosts/{host}/policy", host)
        .then()
        .statusCode(202);
    given()
        .contentType("application/json")
        .body("{\"devices\":\"1,0\"}")
        .post("/hosts/{host}/devices", host)
        .then()
        .statusCode(202);
    SetPolicy auto = new SetPolicy("auto", Map.of("put-interval", "2s"));
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(agent.settings()).contains(auto, new SetDevices("1,0")));
    agent.close();
    startAgent();
    await()
        .atMost(SOON)
        .untilAsserted(() -> assertThat(agent.settings()).contains(auto, new SetDevices("1,0")));
  }

  @Test
  void hostsAreShownAndCordoned() throws InterruptedException {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/hosts")
                    .then()
                    .statusCode(200)
                    .body(ofHost("alive"), is(true))
                    .body(ofHost("usable"), is(true))
                    .body(ofHost("resources.cpuSlots"), equalTo(8))
                    .body(ofHost("heartbeatAgeMs"), notNullValue())
                    .body(ofHost("state"), equalTo("UP")));
    given()
        .queryParam("reason", "a new fan")
        .post("/hosts/{host}/cordon", host)
        .then()
        .statusCode(202)
        .body("host", equalTo(host));
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/hosts")
                    .then()
                    .body(ofHost("cordoned"), is(true))
                    .body(ofHost("reason"), equalTo("a new fan")));
    policyIsTold(host);
    given().post("/hosts/{host}/uncordon", host).then().statusCode(202);
    await()
        .atMost(SOON)
        .untilAsserted(() -> given().get("/hosts").then().body(ofHost("cordoned"), is(false)));
  }

  @Test
  void aDrainedHostIsEmptiedAndItsJobsRunAgain() {
    String id = id();
    post(request(id, ENDLESS + "\",\"" + id)).statusCode(202);
    awaitState(id, "RUNNING");
    given()
        .queryParam("reason", "new driver")
        .queryParam("within", "100ms")
        .post("/hosts/{host}/drain", host)
        .then()
        .statusCode(202)
        .body("host", equalTo(host));
    try {
      await()
          .atMost(SOON)
          .untilAsserted(
              () ->
                  given()
                      .get("/hosts")
                      .then()
                      .body(ofHost("cordoned"), is(true))
                      .body(ofHost("reason"), equalTo("new driver"))
                      .body(ofHost("drain.empty"), is(true))
                      .body(ofHost("drain.deadline"), notNullValue()));
      awaitState(id, "QUEUED").body("reason", containsString("drained"));
    } finally {
      given().post("/hosts/{host}/uncordon", host).then().statusCode(202);
    }
    awaitState(id, "RUNNING").body("attempt", equalTo(2));
    given().get("/hosts").then().body(ofHost("drain"), nullValue());
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
    given()
        .queryParam("within", "soon")
        .post("/hosts/{host}/drain", host)
        .then()
        .statusCode(400)
        .body("field", equalTo("within"));
    given().post("/hosts/{host}/drain", id).then().statusCode(404);
  }

  @Test
  void healthMetricsAndOpenApiAreServed() {
    String id = id();
    post(request(id, "metered-" + id)).statusCode(202);
    awaitState(id, "SUCCEEDED");
    given().get("/q/health/live").then().statusCode(200).body("status", equalTo("UP"));
    given()
        .get("/q/health/ready")
        .then()
        .statusCode(200)
        .body("checks.name", hasItem(containsString("PostgreSQL")));
    given()
        .get("/q/metrics")
        .then()
        .statusCode(200)
        .body(containsString("stoker_requests_total{outcome=\"accepted\"}"))
        .body(containsString("stoker_attempts_placed_total{host=\"" + host + "\"}"))
        .body(containsString("stoker_attempts_ended_total{outcome=\"succeeded\"}"))
        .body(containsString("stoker_statuses_published_total"))
        .body(containsString("stoker_placement_pass_seconds_count"))
        .body(containsString("stoker_redis_reads_total{outcome=\"hit\"}"))
        .body(containsString("stoker_jobs_ready"))
        .body(containsString("stoker_attempts_open"))
        .body(containsString("stoker_hosts_alive"));
    given()
        .get("/q/openapi?format=json")
        .then()
        .statusCode(200)
        .body("paths.'/requests'.post", notNullValue())
        .body("paths.'/requests/{id}'.delete", notNullValue())
        .body("components.schemas.RequestStatus", notNullValue());
  }

  /** What this test's host says to a job that waits. */
  private String says(String field) {
    return "hosts.find { it.host == '" + host + "' }." + field;
  }

  private String ofHost(String field) {
    return "hosts.find { it.host == '" + host + "' }." + field;
  }

  private static ValidatableResponse list(String group, String parameter, String value) {
    return given()
        .queryParam("group", group)
        .queryParam(parameter, value)
        .get("/requests")
        .then()
        .statusCode(200);
  }

  private static ValidatableResponse post(String body) {
    return given().contentType(ContentType.JSON).body(body).post("/requests").then();
  }

  private static ValidatableResponse awaitState(String id, String state) {
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

  private static String request(String id, String work) {
    return "{\"id\":\"%s\",\"command\":[\"%s\"]}".formatted(id, work);
  }

  private static String id() {
    return UUID.randomUUID().toString();
  }
}
