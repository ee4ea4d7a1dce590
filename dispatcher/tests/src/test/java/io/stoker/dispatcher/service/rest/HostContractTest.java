package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.response.ValidatableResponse;
import io.stoker.common.message.ToAgent.SetDevices;
import io.stoker.common.message.ToAgent.SetPolicy;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What operators see of hosts, and tell them, by REST. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostContractTest extends RestContract {
  private static final String LIMIT = ".find { it.name == 'limit' }.schema.";

  /** What people tell a host reaches its agent: now, and again at its next start. */
  private void policyIsTold(String host) throws InterruptedException {
    String first = told("policy", "{\"policy\":\"auto\",\"parameters\":{\"put-interval\":\"2s\"}}");
    String second = told("devices", "{\"devices\":\"1,0\"}");
    SetPolicy auto = new SetPolicy("auto", Map.of("put-interval", "2s"), first);
    SetDevices list = new SetDevices("1,0", second);
    await().atMost(SOON).untilAsserted(() -> assertThat(agent.settings()).contains(auto, list));
    agent.close();
    startAgent();
    await().atMost(SOON).untilAsserted(() -> assertThat(agent.settings()).contains(auto, list));
  }

  /** The id by which the host answers. */
  private String told(String setting, String body) {
    return given()
        .contentType("application/json")
        .body(body)
        .post("/hosts/{host}/{setting}", host, setting)
        .then()
        .statusCode(202)
        .body("host", equalTo(host))
        .extract()
        .path("id");
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
    try {
      given()
          .queryParam("reason", "a new fan")
          .post("/hosts/{host}/cordon", host)
          .then()
          .statusCode(202)
          .body("host", equalTo(host));
      await().atMost(SOON).untilAsserted(() -> cordoned("a new fan"));
      policyIsTold(host);
    } finally {
      given().post("/hosts/{host}/uncordon", host).then().statusCode(202);
    }
    await()
        .atMost(SOON)
        .untilAsserted(() -> given().get("/hosts").then().body(ofHost("cordoned"), is(false)));
    given()
        .get("/hosts/{host}/events", host)
        .then()
        .statusCode(200)
        .body("host", equalTo(host))
        .body("events.what", hasItem("STARTED"))
        .body("events[0].what", equalTo("UNCORDONED"))
        .body("events[0].at", notNullValue())
        .body("events.find { it.what == 'CORDONED' }.detail", equalTo("a new fan"));
    given().get("/hosts/{host}/events", "none").then().statusCode(404).body("field", is("host"));
  }

  private ValidatableResponse cordoned(String reason) {
    return given()
        .get("/hosts")
        .then()
        .body(ofHost("cordoned"), is(true))
        .body(ofHost("reason"), equalTo(reason));
  }

  /** No field of the call is wrong where no host has a key. */
  @Test
  void keysOfHostsThatHaveNoneAreNotChanged() {
    for (String change : List.of("rotate-key", "revoke-key")) {
      given()
          .post("/hosts/{host}/{change}", host, change)
          .then()
          .statusCode(400)
          .body("message", equalTo("hosts have no keys: set stoker.host-secret"))
          .body("field", nullValue());
    }
  }

  @Test
  void aBodyThatIsNoneSaysWhatIsWrongWithIt() {
    refused("policy", "{\"policy\":[1]}", "policy: a list, expected text");
    refused("policy", "{\"parameters\":\"x\"}", "parameters: x, expected an object");
    refused("policy", "{\"parameters\":{\"x\":null}}", "parameters: {x=null}, expected texts");
    refused("devices", "[]", "body: a list, expected a JSON object");
    refused("devices", "{\"devices\"", "body: Unexpected end-of-input");
  }

  private void refused(String setting, String body, String message) {
    given()
        .contentType("application/json")
        .body(body)
        .post("/hosts/{host}/{setting}", host, setting)
        .then()
        .statusCode(400)
        .body("message", startsWith(message));
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
                  cordoned("new driver")
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
        .body("checks.name", hasItem(containsString("PostgreSQL")))
        .body("checks.find { it.name == 'reads' }.status", equalTo("UP"));
    // What the last transaction is counted as may come behind its effect.
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
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
                    .body(
                        containsString(
                            "stoker_job_waiting_seconds_bucket{kind=\"command\",queue=\"default\""))
                    .body(containsString("stoker_attempts_open"))
                    .body(containsString("stoker_hosts_alive")));
    String stuck = id();
    post(("{\"id\":\"%s\",\"command\":[\"stuck-%s\"],"
                + "\"resources\":{\"require\":{\"only\":\"nowhere\"}}}")
            .formatted(stuck, stuck))
        .statusCode(202);
    awaitState(stuck, "QUEUED"); // the metric below may be of others' jobs
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given()
                    .get("/q/metrics")
                    .then()
                    .body(
                        containsString(
                            "stoker_queue_jobs_ready{kind=\"command\",queue=\"default\"}")));
    given().delete("/requests/{id}", stuck).then().statusCode(202);
    given()
        .get("/q/openapi?format=json")
        .then()
        .statusCode(200)
        .body("paths.'/requests'.post", notNullValue())
        .body("paths.'/requests/{id}'.delete", notNullValue())
        .body("components.schemas.RequestStatus.properties.state.enum", hasItem("REJECTED"))
        .body("components.schemas.Request.properties.command", notNullValue())
        .body("components.schemas.Request.additionalProperties", is(false))
        .body("components.schemas.ApiError.properties.detail", notNullValue())
        .body("components.schemas.HostView.properties.freeGpus.type", equalTo("integer"))
        .body("components.schemas.HostView.properties.room", nullValue())
        .body("paths.'/requests'.get.tags", equalTo(List.of("requests")))
        .body(
            "paths.'/requests'.get.parameters.find { it.name == 'limit' }.schema.type",
            equalTo("integer"))
        .body("paths.'/requests'.get.parameters" + LIMIT + "minimum", equalTo(1))
        .body("paths.'/requests'.get.parameters" + LIMIT + "maximum", equalTo(1000))
        .body("paths.'/requests'.get.parameters" + LIMIT + "default", equalTo(100))
        .body("paths.'/groups/{group}/retries'.post.parameters" + LIMIT + "minimum", equalTo(0))
        .body(
            "paths.'/groups/{group}/retries'.post.parameters" + LIMIT + "maximum",
            equalTo(999_999_999))
        .body("components.schemas.PriorityAsked.properties.priority.minimum", equalTo(-1000))
        .body("components.schemas.PriorityAsked.properties.priority.maximum", equalTo(1000))
        .body("components.schemas.PriorityAsked.required", equalTo(List.of("priority")))
        .body(
            "components.schemas.RetryAsked.properties.as.pattern",
            equalTo("^[A-Za-z0-9._:-]{1,128}$"))
        .body(
            "paths.'/requests'.get.responses.'400'.content.keySet()", hasItem(ApiError.MEDIA_TYPE))
        .body("components.schemas.PolicyAsked.properties.parameters", notNullValue())
        .body("components.schemas.DevicesAsked.properties.devices", notNullValue());
  }
}
