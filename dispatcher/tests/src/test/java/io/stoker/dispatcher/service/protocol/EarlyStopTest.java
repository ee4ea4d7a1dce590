package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;

import io.quarkus.test.junit.QuarkusTest;
import io.restassured.http.ContentType;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Jobs that are worse than their peers, however their results come. */
@QuarkusTest
@OnRealServices
class EarlyStopTest extends WithHandAgent {
  private final String group = Site.unique("early");

  @BeforeEach
  void plan() {
    given()
        .contentType(ContentType.JSON)
        .body("{\"experiment\":{\"earlyStopping\":{\"policy\":\"median\"}}}")
        .post("/groups/{g}", group)
        .then()
        .statusCode(201);
  }

  @Test
  void resultsThatAreHeardTogetherAreJudgedByAsManyAsAPeerHasGiven() {
    ToAgent.Place good = run("good");
    ToAgent.Place bad = run("bad");
    agent.results(good, 0.5, 0.5, 0.5);
    agent.results(bad, 0, 0, 0, 0, 0, 0, 0);

    assertStopped(bad, "its mean of 3 results is 0.000, worse than the median 0.5000 of 1 other");
  }

  @Test
  void oneThatWasAheadOfAllIsJudgedWhenAPeerHasComeAfterIt() {
    ToAgent.Place bad = run("bad");
    ToAgent.Place good = run("good");
    agent.results(bad, 0, 0, 0, 0);
    agent.results(good, 0.5, 0.5);
    agent.results(bad, 0);

    assertStopped(bad, "its mean of 2 results is 0.000, worse than the median 0.5000 of 1 other");
  }

  @Test
  void aResultThatIsNoNumber_isTheWorst() {
    ToAgent.Place good = run("good");
    ToAgent.Place bad = run("bad");
    agent.results(good, 0.5, 0.5, 0.5);
    agent.results(bad, 0.9, Double.NaN, 0.9);

    assertStopped(bad, "its mean of 3 results is NaN, worse than the median 0.5000 of 1 other");
    given()
        .get("/groups/{g}/report.csv", group)
        .then()
        .statusCode(200)
        .body(containsString(bad.request() + ",CANCELLED,EARLY_STOPPED,0.9,"));
  }

  private void assertStopped(ToAgent.Place place, String reason) {
    TopicLog.until(
        "the word to end " + place.request(),
        () ->
            agent.told(ToAgent.Cancel.class).stream()
                .anyMatch(cancel -> cancel.job().equals(place.job())));
    agent.cancelled(place);
    var end = site.statuses().await(place.request(), RequestState.CANCELLED);
    assertThat(end.code()).isEqualTo(Code.EARLY_STOPPED);
    assertThat(end.reason()).isEqualTo(reason);
  }

  private ToAgent.Place run(String name) {
    String id = Site.unique(name);
    site.post(aRequest(id).with("group", group).resource("require", Map.of("only", host)));
    ToAgent.Place place = agent.awaitPlace(id, 1);
    agent.accept(place);
    agent.run(place);
    site.statuses().await(id, RequestState.RUNNING);
    return place;
  }
}
