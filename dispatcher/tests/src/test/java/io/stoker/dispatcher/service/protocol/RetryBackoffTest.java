package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.notNullValue;
import static org.hamcrest.Matchers.startsWith;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What failed waits out of line, says so, and is started by an alarm. */
@QuarkusTest
@OnRealServices
class RetryBackoffTest extends WithHandAgent {
  private static final Pattern UNTIL = Pattern.compile("waits until (\\S+) after");

  private final String id = Site.unique("fails");

  @Test
  void theNextAttemptIsPlacedWhenTheWaitIsOver() throws SQLException {
    RequestStatus failed = failOnce();
    String job = failed.job();

    ToAgent.Place second = agent.awaitPlace(id, 2);

    assertThat(placedAt(job)).isGreaterThanOrEqualTo(due(failed));
    assertThat(site.query("select job from backoff where job = ?", job)).isEmpty();
    agent.accept(second);
    agent.succeed(second);
    assertThat(site.statuses().await(id, RequestState.SUCCEEDED).attempt()).isEqualTo(2);
    given()
        .get("/requests/{id}/details", id)
        .then()
        .body("attempts.number", is(List.of(1, 2)))
        .body("attempts.host", is(List.of(host, host)))
        .body("attempts.stage", is(List.of("FAILED", "SUCCEEDED")))
        .body("attempts[0].category", is("LAUNCH"))
        .body("attempts[0].placedAt", notNullValue())
        .body("attempts[0].endedAt", notNullValue());
  }

  @Test
  void whileItWaitsItIsNotInLineAndSaysUntilWhenAndMayBeCancelled() throws SQLException {
    String job;
    prolongWaits();
    try {
      job = failOnce().job();
    } finally {
      prolongNoMore();
    }

    assertThat(site.query("select job from ready where job = ?", job)).isEmpty();
    given()
        .get("/explain/{id}", id)
        .then()
        .body("label", is("BACKOFF"))
        .body("sentence", startsWith("waits until "))
        .body("sentence", containsString(" after the LAUNCH failure of attempt 1"))
        .body("reason", containsString("attempt 2 follows, and waits until "));
    given().delete("/requests/{id}", id).then().statusCode(202);
    site.statuses().await(id, RequestState.CANCELLED);

    assertThat(site.query("select job from backoff where job = ?", job)).isEmpty();
    assertThat(agent.timesTold(id, 2)).isZero();
  }

  @Test
  void theRetriesOfAGroupAreCountedInTheDatabaseAndShown() {
    String group = Site.unique("group");
    String other = Site.unique("other");
    given().post("/groups/{name}/retries?limit=x", group).then().statusCode(400);
    given().post("/groups/{name}/retries?limit=1", group).then().statusCode(202);
    TopicLog.until(
        "the limit",
        () -> given().get("/groups/{name}", group).jsonPath().get("retries.limit") != null);
    site.post(request().with("group", group));
    failToLaunch(id, 1);
    site.post(request(other).with("group", group));
    failToLaunch(other, 1);

    RequestStatus second = site.statuses().await(other, RequestState.FAILED);
    assertThat(second.code()).isEqualTo(Code.LAUNCH_FAILURE);
    assertThat(second.reason()).contains("its group " + group + " has used the 1 that");
    agent.succeed(agent.awaitPlace(id, 2));
    site.statuses().await(id, RequestState.SUCCEEDED);
    given()
        .get("/groups/{name}", group)
        .then()
        .body("retries.limit", is(1))
        .body("retries.used", is(1));
  }

  private void failToLaunch(String request, int attempt) {
    ToAgent.Place place = agent.awaitPlace(request, attempt);
    agent.accept(place);
    agent.failToLaunch(place);
  }

  /** Fails its first attempt; returns the status that says so. */
  private RequestStatus failOnce() {
    site.post(request());
    failToLaunch(id, 1);
    RequestStatus failed =
        site.statuses()
            .awaitThat(
                id,
                status -> status.reason() != null && status.reason().contains("attempt 2 follows"));
    assertThat(failed.reason()).contains("waits until ").contains("of attempt 1");
    return failed;
  }

  /** As the status says it: once the wait is over, no row tells of it any more. */
  private static long due(RequestStatus failed) {
    Matcher until = UNTIL.matcher(failed.reason());
    assertThat(until.find()).as(failed.reason()).isTrue();
    return Instant.parse(until.group(1)).toEpochMilli();
  }

  private long placedAt(String job) throws SQLException {
    return Long.parseLong(
        site.query("select placed_at from attempt where job = ?", job).getFirst());
  }

  /** Has what fails from now on wait longer than a test takes, however slow the machine is. */
  private void prolongWaits() throws SQLException {
    change(
        "create function prolong() returns trigger language plpgsql as $$ begin new.due_at :="
            + " new.due_at + 100000; return new; end $$");
    change(
        "create trigger prolong before insert on backoff for each row execute function prolong()");
  }

  private void prolongNoMore() throws SQLException {
    change("drop trigger prolong on backoff");
    change("drop function prolong()");
  }

  private void change(String sql) throws SQLException {
    try (Connection connection = site.database()) {
      Site.update(connection, sql);
    }
  }

  private ARequest request() {
    return request(id);
  }

  private ARequest request(String name) {
    return aRequest(name).retry("launch", 1).resource("require", Map.of("only", host));
  }
}
