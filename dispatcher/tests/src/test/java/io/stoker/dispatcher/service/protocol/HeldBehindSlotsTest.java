package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.nullValue;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job that a host holds behind its one CPU slot, on which another one runs. */
@QuarkusTest
@OnRealServices
class HeldBehindSlotsTest extends WithSite {
  private static final long SHORT_MS = 5;

  private final String host = Site.unique("host");
  private final String group = Site.unique("group");
  private final String runs = Site.unique("runs");
  private final String held = Site.unique("held");
  private HandAgent agent;
  private ToAgent.Place running;
  private ToAgent.Place behind;

  @BeforeEach
  void hold() {
    agent = HandAgent.lookingAhead(site, host, 8);
    String known = Site.unique("known");
    site.post(on(known, 1));
    agent.succeedAfter(agent.awaitPlace(known, 1), SHORT_MS);
    site.statuses().await(known, RequestState.SUCCEEDED);
    // What is taken in and placed in one transaction nobody expects anything of.
    String before = Site.unique("before");
    site.post(
        on(before, 2), inGroup(runs, 3).dependsOn(before), inGroup(held, 4).dependsOn(before));
    site.statuses().await(held, RequestState.WAITING);
    agent.succeedAfter(agent.awaitPlace(before, 1), SHORT_MS);
    running = agent.awaitPlace(runs, 1);
    // Behind what has run for longer than was expected, a second at least, nothing is held.
    behind = agent.awaitPlace(held, 1);
    agent.accept(running);
    agent.run(running);
    agent.accept(behind);
    site.statuses().await(runs, RequestState.RUNNING);
  }

  @AfterEach
  void close() {
    agent.close();
  }

  /** All are alike: their commands differ in a figure. */
  private ARequest on(String id, int figure) {
    return aRequest(id).meaning(host + " " + figure).resource("require", Map.of("only", host));
  }

  private ARequest inGroup(String id, int figure) {
    return on(id, figure).with("group", group);
  }

  @Test
  void peopleSeeItQueuedAndWhoHasItUntilItRuns() {
    assertThat(behind.lookAhead()).isPresent();
    given()
        .get("/requests/{id}", held)
        .then()
        .body("state", equalTo("QUEUED"))
        .body("host", nullValue())
        .body("attempt", nullValue());
    given()
        .get("/explain/{id}", held)
        .then()
        .body("state", equalTo("QUEUED"))
        .body("label", equalTo("LOOK_AHEAD"))
        .body(
            "sentence",
            equalTo(
                "host %s has it behind its CPU slots, and starts it as soon as one is free"
                    .formatted(host)));

    agent.succeed(running);
    agent.run(behind);

    RequestStatus begun = site.statuses().await(held, RequestState.RUNNING);
    assertThat(begun.host()).isEqualTo(host);
    assertThat(begun.attempt()).isEqualTo(1);
    assertThat(site.statuses().of(held))
        .extracting(RequestStatus::state)
        .doesNotContain(RequestState.PLACED);
    agent.succeed(behind);
    site.statuses().await(held, RequestState.SUCCEEDED);
  }

  @Test
  void cancelled_itsHostIsToldAndItEndsWhenThatSaysSo() {
    given().delete("/requests/{id}", held).then().statusCode(202);

    ToAgent.Cancel cancel = agent.awaitCancel();
    assertThat(cancel.job()).isEqualTo(behind.job());
    given().get("/requests/{id}", held).then().body("state", equalTo("QUEUED"));
    agent.cancelled(behind);

    assertThat(site.statuses().await(held, RequestState.CANCELLED).attempt()).isEqualTo(1);
    agent.succeed(running);
    site.statuses().await(runs, RequestState.SUCCEEDED);
  }

  @Test
  void ofAnExperimentThatFails_isCancelledBeforeItBegins() {
    site.send(
        site.topics().control(),
        Map.of(
            "type",
            "group",
            "id",
            Site.unique("m"),
            "group",
            group,
            "action",
            "create",
            "experiment",
            Map.of()));
    TopicLog.until(
        "the plan",
        () -> given().get("/groups/{g}", group).jsonPath().get("experiment.state") != null);

    agent.fail(running, FailureCategory.APP);

    assertThat(agent.awaitCancel().job()).isEqualTo(behind.job());
    agent.cancelled(behind);
    assertThat(site.statuses().await(held, RequestState.CANCELLED).reason()).contains("is FAILING");
  }

  @Test
  void drainedHost_isPlacedElsewhereOnceItsHostHasGivenItBack() {
    site.send(
        site.topics().control(),
        new ControlMessage.Drain(Site.unique("m"), host, "disk", null, null));
    agent.awaitCallBack(behind);
    try (HandAgent other = HandAgent.start(site, Site.unique("other"), host)) {
      String probe = Site.unique("probe");
      site.post(on(probe, 5));
      other.succeed(other.awaitPlace(probe, 1));
      assertThat(other.timesTold(held, 2)).as("it may begin there yet").isZero();

      agent.giveBack(behind);
      other.succeed(other.awaitPlace(held, 2));

      assertThat(site.statuses().await(held, RequestState.SUCCEEDED).host())
          .isEqualTo(other.host());
      agent.succeed(running);
      assertThat(site.statuses().await(runs, RequestState.SUCCEEDED).host()).isEqualTo(host);
    }
  }
}
