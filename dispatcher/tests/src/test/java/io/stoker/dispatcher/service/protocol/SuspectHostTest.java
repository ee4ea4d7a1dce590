package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A host on which nothing starts is kept from jobs that another can serve. */
@QuarkusTest
@OnRealServices
class SuspectHostTest {
  private static final int FAILURES = 5;

  private final String bad = Site.unique("bad");
  private final String good = Site.unique("good");
  private Site site;
  private HandAgent badAgent;
  private HandAgent goodAgent;

  @BeforeEach
  void open() {
    site = new Site();
    badAgent = HandAgent.start(site, bad);
    goodAgent = HandAgent.start(site, good);
  }

  @AfterEach
  void close() {
    badAgent.close();
    goodAgent.close();
    site.close();
  }

  @Test
  void aHostOnWhichNothingStartsIsHeldAndShownAsSuspect() {
    for (int i = 0; i < FAILURES; i++) {
      String id = Site.unique("spoilt");
      site.post(only(id, bad));
      ToAgent.Place place = badAgent.awaitPlace(id, 1);
      badAgent.accept(place);
      badAgent.failToLaunch(place);
      site.statuses().await(id, RequestState.FAILED);
    }
    await()
        .atMost(TopicLog.PATIENCE)
        .untilAsserted(
            () ->
                given()
                    .get("/hosts")
                    .then()
                    .body(of(bad) + "suspect", is(true))
                    .body(of(bad) + "usable", is(false))
                    .body(of(bad) + "reason", containsString("5 different jobs in a row"))
                    .body(of(good) + "suspect", is(false)));
    String waits = Site.unique("waits");
    site.post(only(waits, bad));
    site.statuses().await(waits, RequestState.QUEUED);
    String served = Site.unique("served");
    site.post(only(served, good));
    ToAgent.Place place = goodAgent.awaitPlace(served, 1);
    goodAgent.accept(place);
    assertThat(badAgent.timesTold(waits, 1)).isZero();
    await()
        .atMost(TopicLog.PATIENCE)
        .untilAsserted(
            () ->
                given()
                    .get("/explain/{id}", waits)
                    .then()
                    .body(of(bad) + "obstacle", is("NOT_USABLE"))
                    .body(of(bad) + "sentence", containsString("is suspect")));
    given().delete("/requests/{id}", waits).then().statusCode(202);
    site.statuses().await(waits, RequestState.CANCELLED);
  }

  private static String of(String host) {
    return "hosts.find { it.host == '" + host + "' }.";
  }

  private static ARequest only(String id, String host) {
    return aRequest(id).resource("require", Map.of("only", host));
  }
}
