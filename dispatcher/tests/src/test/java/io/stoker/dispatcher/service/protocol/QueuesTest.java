package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Queues as configured, on the real services: {@code lab} is open and runs two jobs at most, {@code
 * vault} is reached by its own topic alone and has no patience with what no host can ever serve,
 * {@code short} has one place in line.
 */
@QuarkusTest
@OnRealServices
class QueuesTest extends WithHandAgent {
  @Test
  void noMoreThanMaxRunningOfAQueueArePlaced() {
    List<String> ids = List.of(Site.unique("a"), Site.unique("b"), Site.unique("c"));
    ids.forEach(id -> site.post(here(id).queue("lab")));
    ToAgent.Place first = agent.awaitPlace(ids.get(0), 1);
    agent.accept(first);
    ToAgent.Place second = agent.awaitPlace(ids.get(1), 1);
    agent.accept(second);
    site.statuses().await(ids.get(2), RequestState.QUEUED);
    // Another queue's job, posted after it, is placed: the pass that did so left it.
    String other = Site.unique("other");
    site.post(here(other));
    agent.accept(agent.awaitPlace(other, 1));
    assertThat(agent.timesTold(ids.get(2), 1)).isZero();
    given()
        .get("/explain/{id}", ids.get(2))
        .then()
        .body("label", equalTo("LIMIT"))
        .body("sentence", containsString("max-running is 2"))
        .body("line.queue", equalTo("lab"))
        .body("hosts.find { it.host == '" + host + "' }.sentence", equalTo("could take it now"));

    agent.succeed(first);

    ToAgent.Place third = agent.awaitPlace(ids.get(2), 1);
    agent.accept(third);
    // None of them waits in the line of other tests, once this one's host is gone.
    agent.succeed(second);
    agent.succeed(third);
    ids.forEach(id -> site.statuses().await(id, RequestState.SUCCEEDED));
  }

  @Test
  void aQueueThatNobodyConfiguredIsRefusedByName() {
    String id = Site.unique("typo");
    site.post(aRequest(id).queue("lap"));

    RequestStatus status = site.statuses().await(id, RequestState.REJECTED);

    assertThat(status.code()).isEqualTo(Code.INVALID_REQUEST);
    assertThat(status.reason())
        .isEqualTo(
            "queue: lap, expected the name of a configured queue: default, lab, short, vault");
    given()
        .contentType(ContentType.JSON)
        .body(aRequest(id).queue("lap").json())
        .post("/requests")
        .then()
        .statusCode(400)
        .body("field", equalTo("queue"))
        .body("value", equalTo("lap"));
  }

  @Test
  void aClosedQueueIsReachedByItsOwnTopicWhichWinsOverTheBody() {
    String refused = Site.unique("plain");
    site.post(aRequest(refused).queue("vault"));
    assertThat(site.statuses().await(refused, RequestState.REJECTED).reason())
        .contains("vault, expected the name of an open queue: default, lab, short");

    String taken = Site.unique("own");
    site.postTo("vault", here(taken).queue("lab"));

    agent.accept(agent.awaitPlace(taken, 1));
    assertThat(site.statuses().await(taken, RequestState.PLACED).queue()).isEqualTo("vault");
  }

  @Test
  void aFullLineRefusesUntilItHasRoomAgain() {
    String waits = Site.unique("waits");
    String late = Site.unique("late");
    site.post(aRequest(waits).queue("short").resource("require", Map.of("only", "nobody")));
    site.statuses().await(waits, RequestState.QUEUED);
    site.post(here(late).queue("short"));

    RequestStatus status = site.statuses().await(late, RequestState.REJECTED);

    assertThat(status.code()).isEqualTo(Code.QUEUE_FULL);
    assertThat(status.reason()).contains("1 jobs stand in it, max-queued is 1");
    given().delete("/requests/{id}", waits).then().statusCode(202);
    site.statuses().await(waits, RequestState.CANCELLED);
    site.post(here(late).queue("short"));
    agent.accept(agent.awaitPlace(late, 1));
  }

  @Test
  void whatNoHostCanEverServeFailsWhereTheQueueDoesNotLetItWait() {
    String id = Site.unique("nobody");
    site.postTo("vault", aRequest(id).resource("require", Map.of("only", "nobody")));

    RequestStatus status = site.statuses().await(id, RequestState.FAILED);

    assertThat(status.code()).isEqualTo(Code.UNSATISFIABLE);
    assertThat(status.reason()).contains("no host can ever serve").contains("only=nobody");
  }

  @Test
  void whatNoHostCanEverServeSaysSoInItsStatusUntilAHostHasComeThatCan() {
    String later = Site.unique("later");
    String id = Site.unique("waits");
    site.post(aRequest(id).resource("require", Map.of("only", later)));

    RequestStatus status = site.statuses().awaitThat(id, one -> one.code() != null);

    assertThat(status.state()).isEqualTo(RequestState.QUEUED);
    assertThat(status.code()).isEqualTo(Code.UNSATISFIABLE);
    assertThat(status.reason())
        .isEqualTo(
            "no host can ever serve 1 CPU slot(s) with {only=%s}; it waits for a host that can"
                .formatted(later));
    given()
        .get("/explain/{id}", id)
        .then()
        .body("label", equalTo("UNSATISFIABLE"))
        .body("reason", nullValue());
    try (HandAgent able = HandAgent.start(site, later)) {
      able.succeed(able.awaitPlace(id, 1));
      assertThat(site.statuses().await(id, RequestState.SUCCEEDED).code()).isNull();
      assertThat(site.statuses().of(id))
          .filteredOn(one -> one.code() != null)
          .extracting(RequestStatus::version)
          .as("once, however often it was published")
          .containsOnly(status.version());
    }
  }

  @Test
  void allOfALineAreToldThatNobodyServesThemAndThatSomebodyDoes() {
    String later = Site.unique("later");
    List<String> ids = IntStream.range(0, 30).mapToObj(i -> Site.unique("waits")).toList();
    ids.forEach(id -> site.post(aRequest(id).resource("require", Map.of("only", later))));
    Map<String, Long> told = new HashMap<>();

    for (String id : ids) {
      RequestStatus status = site.statuses().awaitThat(id, one -> one.code() != null);
      assertThat(status.code()).isEqualTo(Code.UNSATISFIABLE);
      assertThat(status.reason()).startsWith("no host can ever serve 1 CPU slot(s) with {only=");
      told.put(id, status.version());
    }
    try (HandAgent able = HandAgent.start(site, later)) {
      for (String id : ids) {
        site.statuses().awaitThat(id, one -> one.version() > told.get(id) && one.code() == null);
      }
      ids.forEach(id -> given().delete("/requests/{id}", id).then().statusCode(202));
      Set<String> ended = new HashSet<>();
      for (String id : ids) {
        TopicLog.until(
            id + " CANCELLED",
            () -> {
              Map<String, ToAgent.Place> placed = placed(able, ids);
              placed.keySet().stream().filter(ended::add).map(placed::get).forEach(able::cancelled);
              return site.statuses().of(id).stream()
                  .anyMatch(status -> status.state() == RequestState.CANCELLED);
            });
      }
    }
  }

  @Test
  void aHostGetsNoMoreAtOnceThanItIsSeenToAccept() {
    String wide = Site.unique("wide");
    List<String> ids = IntStream.range(0, 66).mapToObj(i -> Site.unique("many")).toList();
    try (HandAgent slow = HandAgent.start(site, wide, wide, 100)) {
      ids.forEach(id -> site.post(aRequest(id).resource("require", Map.of("only", wide))));
      TopicLog.until("64 placements", () -> placed(slow, ids).size() >= 64);
      String last = ids.getLast();
      TopicLog.until(
          "it to be said",
          () ->
              given()
                  .get("/explain/{id}", last)
                  .asString()
                  .contains("has not accepted 64 earlier placements yet"));
      assertThat(placed(slow, ids)).as("of 100 slots").hasSize(64).doesNotContainKey(last);

      Set<String> over = new HashSet<>();
      TopicLog.until(
          "all to be placed",
          () -> {
            Map<String, ToAgent.Place> placed = placed(slow, ids);
            placed.keySet().stream().filter(over::add).map(placed::get).forEach(slow::succeed);
            return over.size() == ids.size();
          });
      ids.forEach(id -> site.statuses().await(id, RequestState.SUCCEEDED));
    }
  }

  /** What the agent was told of these requests, by their ids. */
  private static Map<String, ToAgent.Place> placed(HandAgent agent, List<String> ids) {
    return agent.told(ToAgent.Place.class).stream()
        .filter(place -> ids.contains(place.request()))
        .collect(Collectors.toMap(ToAgent.Place::request, place -> place, (a, b) -> a));
  }

  /** A request that this test's host alone can serve. */
  private ARequest here(String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }
}
