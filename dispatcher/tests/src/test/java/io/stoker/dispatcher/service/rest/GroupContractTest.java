package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.matchesPattern;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import io.stoker.dispatcher.report.GroupFacts;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.report.Reports;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Groups and lists of requests, by REST. */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GroupContractTest extends RestContract {
  @Inject Database database;

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
    given()
        .contentType(ContentType.JSON)
        .body("{\"after\":\"a\\u0000b\"}")
        .post("/groups/{g}", id())
        .then()
        .statusCode(400)
        .body("field", equalTo("after"));
  }

  @Test
  void anEmptyGroupHasEndedOnceItIsClosed() {
    String group = id();
    given().post("/groups/{g}/close", group).then().statusCode(202);
    awaitGroup(group, "state", "ENDED").body("total", equalTo(0)).body("progress", equalTo(1f));
  }

  @Test
  void aReportThatNobodyWaitsForAnyMoreEndsEarly() {
    String group = id();
    String requests =
        """
        insert into request (id, seq, version, spec, queue, grp, ended)
        select '%1$s-' || n, n, 1, '{"command":["x"],"params":{"n":' || n || '}}', 'q', '%1$s',
          'FAILED'
        from generate_series(1, 1500) n
        """
            .formatted(group);
    String counts =
        "insert into group_count (grp, total, failed, first_at) values ('%s', 1500, 1500, 1)"
            .formatted(group);
    database
        .transaction(
            session ->
                session
                    .createNativeQuery(requests)
                    .executeUpdate()
                    .chain(() -> session.createNativeQuery(counts).executeUpdate()))
        .await()
        .atMost(SOON);

    assertThat(report(group, true).requests()).hasSize(1500);
    assertThat(report(group, false).requests()).hasSize(1000);
  }

  private GroupFacts report(String group, boolean awaited) {
    return database
        .read(session -> Reports.of(session, group, ReportsResource.MOST, () -> awaited))
        .await()
        .atMost(SOON)
        .orElseThrow();
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
    listed("/requests?group=%s&limit=2&after=%s".formatted(group, next))
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

  private static ValidatableResponse list(String group, String parameter, String value) {
    return listed("/requests?group=%s&%s=%s".formatted(group, parameter, value)).statusCode(200);
  }
}
