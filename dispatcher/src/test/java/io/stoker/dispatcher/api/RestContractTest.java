package io.stoker.dispatcher.api;

import static io.restassured.RestAssured.given;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.stoker.dispatcher.testing.OnRealServices;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What scripts and the command line rely on: posting requests, and what they give. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RestContractTest extends RestContract {
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
  void aPostOfThousandsIsAcceptedWhole() {
    String run = id().substring(0, 13);
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 15_000; i++) {
      // They wait for what never comes, so that they take no other test's time.
      lines.append(
          "{\"id\":\"%1$s-%2$d\",\"command\":[\"%1$s\"],\"dependsOn\":[\"%1$s\"]}\n"
              .formatted(run, i));
    }
    for (int time = 0; time < 2; time++) {
      given()
          .contentType("application/x-ndjson")
          .body(lines.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8))
          .when()
          .post("/requests")
          .then()
          .statusCode(202)
          .body("ids.size()", equalTo(15_000));
    }
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
    post("[{\"id\":\"c-1\",\"command\":[\"x\"],\"dependsOn\":[\"c-2\"]},"
            + "{\"id\":\"c-2\",\"command\":[\"x\"],\"dependsOn\":[\"c-1\"]}]")
        .statusCode(400)
        .body("field", equalTo("dependsOn"))
        .body("value", equalTo("c-1 -> c-2 -> c-1"));
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
}
