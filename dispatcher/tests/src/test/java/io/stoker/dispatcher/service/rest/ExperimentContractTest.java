package io.stoker.dispatcher.service.rest;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.restassured.response.ValidatableResponse;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.dispatcher.service.testing.FakeAgent.Ending;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Experiments, over REST and on a real database; jobs end as the last word of their command says.
 */
@QuarkusTest
@OnRealServices
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExperimentContractTest extends RestContract {

  @Override
  Optional<Ending> ending(Place place) {
    String word = place.program().command().getLast();
    return switch (word) {
      case ENDLESS -> Optional.empty();
      case "fail" -> Optional.of(new Ending(AttemptEvent.Outcome.FAILED, null, 1, "no\n"));
      case "nothing" -> Optional.of(Ending.succeeded(null));
      default -> Optional.of(Ending.succeeded(word));
    };
  }

  @Test
  void theBestIsOverRealScoresAndAClosedExperimentFinishes() {
    String name = create(id(), "{\"objective\":\"min\",\"failure\":\"ignore\"}");
    String best = post(name, "{\"loss\":0.1,\"score\":0.25}");
    post(name, "0.5");
    post(name, "[0.75,3]");
    post(name, "nothing");
    post(name, "{\"score\":\"0.1\"}");
    post(name, "\"-Infinity\"");
    post(name, "[\"NaN\",0.01]");
    post(name, "[0.375,\"NaN\"]");
    post(name, "fail");
    post(name, "\"0.1\"");
    // Closed before all have arrived, it could end with what has.
    await()
        .atMost(SOON)
        .untilAsserted(() -> given().get("/groups/{g}", name).then().body("total", equalTo(10)));
    given().post("/groups/{g}/close", name).then().statusCode(202);

    awaitExperiment(name, "FINISHED")
        .body("state", equalTo("ENDED"))
        .body("succeeded", equalTo(9))
        .body("failed", equalTo(1))
        .body("experiment.objective", equalTo("min"))
        .body("experiment.best.id", equalTo(best))
        .body("experiment.best.score", equalTo(0.25f));
    given()
        .get("/groups/{g}/report.html", name)
        .then()
        .statusCode(200)
        .contentType("text/html")
        .body(containsString("10 total, 9 successful, 1 failed, 00:"))
        .body(containsString("<svg"))
        .body(containsString("lowest score by " + best));
    given()
        .get("/groups/{g}/report.csv", name)
        .then()
        .statusCode(200)
        .contentType("text/csv")
        .body(containsString(best + ",SUCCEEDED,,0.25,"));
    given()
        .get("/groups/{g}/report.json", name)
        .then()
        .statusCode(200)
        .body("best", equalTo(best))
        .body("total", equalTo(10))
        .body("requests.size()", equalTo(10));
    given().get("/groups/{g}/report.html", id()).then().statusCode(404);
    given().get("/groups/{g}/report.pdf", name).then().statusCode(404);
    String again =
        given().post("/groups/{g}/rerun-best", name).then().statusCode(202).extract().path("id");
    awaitState(again, "SUCCEEDED")
        .body("score", equalTo(0.25f))
        .body("shared", equalTo(false))
        .body("cached", equalTo(false))
        .body("group", nullValue());
  }

  @Test
  void whatIsTooNearToNothingForADatabaseScoresNothing() {
    String name = create(id(), "{\"objective\":\"min\"}");
    String best = post(name, "[1e-400,1]");
    awaitState(best, "SUCCEEDED");
    List<String> others =
        List.of(
            post(name, "0.5"),
            post(name, "2e-324"),
            post(name, "1e-20000"),
            post(name, "{\"loss\":1e-20000,\"score\":1e-400}"));
    others.forEach(id -> awaitState(id, "SUCCEEDED"));

    given().post("/groups/{g}/close", name).then().statusCode(202);

    awaitExperiment(name, "FINISHED")
        .body("experiment.best.id", equalTo(best))
        .body("experiment.best.score", equalTo(0f));
  }

  @Test
  void noMoreRunThanMayAndAllEndWhenItIsStopped() {
    String name = create(id(), "{\"parallel\":2}");
    String[] ids = new String[5];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = post(name, "endless");
      // Partitions keep no order among each other.
      awaitState(ids[i], i < 2 ? "RUNNING" : "QUEUED");
    }
    // It comes last in line and runs, so that what is before it in line could have started.
    awaitState(post(null, "1"), "SUCCEEDED");
    given().get("/groups/{g}", name).then().body("running", equalTo(2)).body("waiting", equalTo(3));
    given().get("/explain/{id}", ids[4]).then().body("sentence", containsString("parallel is 2"));
    given().delete("/requests/{id}", ids[0]).then().statusCode(202);
    awaitState(ids[0], "CANCELLED");
    awaitState(ids[2], "RUNNING");

    given().post("/groups/{g}/stop", name).then().statusCode(202);

    awaitExperiment(name, "STOPPED")
        .body("state", equalTo("ENDED"))
        .body("cancelled", equalTo(5))
        .body("experiment.best", nullValue());
    awaitState(post(name, "1"), "CANCELLED").body("reason", containsString("is STOPPED"));
    given().post("/groups/{g}/rerun-best", name).then().statusCode(404);
  }

  @Test
  void aStopLetsWhoSharesAJobInLineFromElsewhereGoOn() {
    String name = create(id(), "{\"parallel\":1}");
    String runs = post(name, "endless");
    awaitState(runs, "RUNNING");
    String waits = post(name, "0.5");
    awaitState(waits, "QUEUED");
    String shares = post(null, waits, "0.5");
    awaitState(shares, "QUEUED").body("shared", equalTo(true));

    given().post("/groups/{g}/stop", name).then().statusCode(202);

    awaitExperiment(name, "STOPPED").body("cancelled", equalTo(2));
    awaitState(shares, "SUCCEEDED").body("score", equalTo(0.5f));
  }

  @Test
  void aJobThatWhoStartedItHasLeftToOthersTakesNoPlaceOfIts() {
    String name = create(id(), "{\"parallel\":1}");
    String starts = post(name, "endless");
    awaitState(starts, "RUNNING");
    String shares = post(null, starts, "endless");
    awaitState(shares, "RUNNING").body("shared", equalTo(true));
    String next = post(name, "0.5");
    awaitState(next, "QUEUED");

    given().delete("/requests/{id}", starts).then().statusCode(202);
    awaitState(starts, "CANCELLED");

    awaitState(next, "SUCCEEDED");
    given().get("/requests/{id}", shares).then().body("state", equalTo("RUNNING"));
    given().delete("/requests/{id}", shares).then().statusCode(202);
    awaitState(shares, "CANCELLED");
  }

  @Test
  void aJobThatIsLeftToOthersOfTheGroupKeepsItsPlace() {
    String name = create(id(), "{\"parallel\":1}");
    String starts = post(name, "endless");
    awaitState(starts, "RUNNING");
    String shares = post(name, starts, "endless");
    awaitState(shares, "RUNNING");
    given().delete("/requests/{id}", starts).then().statusCode(202);
    awaitState(starts, "CANCELLED");

    String next = post(name, "0.5");
    awaitState(next, "QUEUED");
    // It comes last in line and runs: what is before it could have started.
    awaitState(post(null, "1"), "SUCCEEDED");
    given().get("/requests/{id}", next).then().body("state", equalTo("QUEUED"));
    given().delete("/requests/{id}", shares).then().statusCode(202);
    awaitState(next, "SUCCEEDED");
  }

  @Test
  void whatFailsLetsWhoSharesItsJobsGoOnBeforeAllOfItHasEnded() {
    String name = create(id(), "{\"parallel\":2}");
    String runs = post(name, "endless");
    awaitState(runs, "RUNNING");
    String other = post(name, "endless");
    awaitState(other, "RUNNING");
    String bad = post(name, "fail");
    awaitState(bad, "QUEUED");
    String waits = post(name, "0.5");
    awaitState(waits, "QUEUED");
    String shares = post(null, waits, "0.5");
    awaitState(shares, "QUEUED");
    given().delete("/requests/{id}", other).then().statusCode(202);
    awaitState(bad, "FAILED");

    awaitState(shares, "SUCCEEDED");
    awaitState(waits, "CANCELLED");
    given().get("/requests/{id}", runs).then().body("state", equalTo("RUNNING"));
    given().post("/groups/{g}/stop", name).then().statusCode(202);
    awaitExperiment(name, "STOPPED");
  }

  @Test
  void theFirstFailureEndsItAndWhatRunsGoesOn() {
    String name = create(id(), "{\"parallel\":1}");
    String first = post(name, "0.5");
    awaitState(first, "SUCCEEDED");
    String before = post(name, "endless");
    awaitState(before, "RUNNING");
    String bad = post(name, "fail");
    awaitState(bad, "QUEUED"); // in line before the next: partitions keep no order among each other
    String never = post(name, "0.75");
    awaitState(never, "QUEUED");
    given().delete("/requests/{id}", before).then().statusCode(202);
    awaitState(bad, "FAILED");

    awaitState(never, "CANCELLED");
    awaitExperiment(name, "FAILED")
        .body("experiment.best.id", equalTo(first))
        .body("experiment.reason", equalTo("1 of its requests failed"))
        .body("state", equalTo("ENDED"));
  }

  @Test
  void aTakenNameThatLeavesNoRoomForANumberIsCutForIt() {
    String start = id();
    String longest = start + "x".repeat(128 - start.length());

    assertThat(create(longest, "{}")).isEqualTo(longest);
    assertThat(create(longest, "{}")).isEqualTo(longest.substring(0, 124) + " (1)");
    assertThat(create(longest, "{}")).isEqualTo(longest.substring(0, 124) + " (2)");
  }

  @Test
  void aTakenNameGetsANumberAndTheSamePostMakesOne() {
    String name = id();
    String post = "{\"id\":\"p-%s\",\"experiment\":{}}".formatted(name);
    assertThat(made(name, post)).isEqualTo(name);
    assertThat(made(name, post)).isEqualTo(name);
    assertThat(create(name, "{}")).isEqualTo(name + " (1)");
    assertThat(create(name, "{}")).isEqualTo(name + " (2)");
    given().get("/groups/{g}", name + " (1)").then().statusCode(200);
  }

  @Test
  void groupsFollowEachOther() {
    String first = create(id(), "{}");
    String second = made(id(), "{\"after\":\"%s\"}".formatted(first));
    String waits = post(second, "1");
    awaitState(waits, "QUEUED");
    String runs = post(first, "endless");
    awaitState(runs, "RUNNING");
    given()
        .get("/explain/{id}", waits)
        .then()
        .body("sentence", containsString("begins when group " + first + " has ended"));
    given().delete("/requests/{id}", runs).then().statusCode(202);
    awaitState(runs, "CANCELLED");
    given().get("/requests/{id}", waits).then().body("state", equalTo("QUEUED"));

    given().post("/groups/{g}/close", first).then().statusCode(202);

    awaitState(waits, "SUCCEEDED");
    given()
        .contentType(ContentType.JSON)
        .body("{\"after\":\"%s\"}".formatted(first))
        .post("/groups/{g}", first)
        .then()
        .statusCode(400)
        .body("field", equalTo("after"));
  }

  @Test
  void aGroupBeginsOnceAllThatRemainsOfTheOneBeforeItSharesItsJobs() {
    String first = create(id(), "{}");
    String second = made(id(), "{\"after\":\"%s\"}".formatted(first));
    String waits = post(second, "1");
    awaitState(waits, "QUEUED");
    String shares = post(first, waits, "1");
    awaitState(shares, "QUEUED").body("shared", equalTo(true));
    String runs = post(first, "endless");
    awaitState(runs, "RUNNING");

    given().post("/groups/{g}/close", first).then().statusCode(202);
    // It comes last in line and runs: what is before it could have started.
    awaitState(post(null, "2"), "SUCCEEDED");
    given().get("/requests/{id}", waits).then().body("state", equalTo("QUEUED"));
    given().delete("/requests/{id}", runs).then().statusCode(202);

    awaitState(waits, "SUCCEEDED");
    awaitState(shares, "SUCCEEDED");
    awaitExperiment(first, "FINISHED");
  }

  @Test
  void whatIsWrongIsNamed() {
    refused("{\"experiment\":{\"objectiv\":\"max\"}}", "experiment.objectiv");
    refused("{\"experiment\":{\"parallel\":0}}", "parallel");
    refused("{\"experiment\":{\"earlyStopping\":{\"policy\":\"x\"}}}", "earlyStopping.policy");
    refused("{\"experiment\":{\"parallel\":\"many\"}}", "experiment.parallel");
    refused("[", "group");
  }

  private static void refused(String body, String field) {
    given()
        .contentType(ContentType.JSON)
        .body(body)
        .post("/groups/{g}", id())
        .then()
        .statusCode(400)
        .body("field", equalTo(field));
  }

  private static String create(String name, String experiment) {
    return made(name, "{\"experiment\":%s}".formatted(experiment));
  }

  private static String made(String name, String body) {
    return given()
        .contentType(ContentType.JSON)
        .body(body)
        .post("/groups/{g}", name)
        .then()
        .statusCode(201)
        .extract()
        .path("group");
  }

  private String post(String group, String word) {
    String id = id();
    return post(group, id, id, word);
  }

  private String post(String group, String means, String word) {
    return post(group, id(), means, word);
  }

  private String post(String group, String id, String means, String word) {
    given()
        .contentType(ContentType.JSON)
        .body(
            Map.of(
                "id",
                id,
                "command",
                List.of(means, word),
                "resources",
                Map.of("require", Map.of("only", host)),
                "labels",
                Map.of(),
                "group",
                group == null ? "plain-" + host : group))
        .post("/requests")
        .then()
        .statusCode(202);
    return id;
  }

  private static ValidatableResponse awaitExperiment(String group, String state) {
    await()
        .atMost(SOON)
        .untilAsserted(
            () ->
                given().get("/groups/{g}", group).then().body("experiment.state", equalTo(state)));
    return given().get("/groups/{g}", group).then();
  }
}
