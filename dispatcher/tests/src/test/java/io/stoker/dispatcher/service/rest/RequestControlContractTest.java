package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import io.stoker.dispatcher.service.testing.OnRealServices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What people do with requests by REST, and what they are told of those that wait. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RequestControlContractTest extends RestContract {
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
  void aReasonThatCannotBeStoredIsRefused() {
    String id = id();
    post(request(id, ENDLESS + "\",\"" + id)).statusCode(202);
    awaitState(id, "RUNNING");
    given()
        .queryParam("reason", "a NUL \0")
        .delete("/requests/{id}", id)
        .then()
        .statusCode(400)
        .body("field", equalTo("reason"))
        .body("value", equalTo("\\u0000"));
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
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
                    .body("label", equalTo("UNSATISFIABLE"))
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
        .body("queues.find { it.queue == 'lab' }.queued", equalTo(1))
        .body("queues.find { it.queue == 'lab' }.open", equalTo(0))
        .body("queues.find { it.queue == 'default' }.weight", equalTo(1.0f));
    given().delete("/requests/{id}", id).then().statusCode(202);
    awaitState(id, "CANCELLED");
  }

  /** What this test's host says to a job that waits. */
  private String says(String field) {
    return "hosts.find { it.host == '" + host + "' }." + field;
  }
}
