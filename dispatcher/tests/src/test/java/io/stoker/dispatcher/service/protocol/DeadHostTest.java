package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** People may know what no heartbeat tells: that a host is off. */
@QuarkusTest
@OnRealServices
class DeadHostTest {

  @Test
  void whatWasOnAHostThatIsDeclaredDeadGoesBackToTheLineAndItsAgentMustSayHello() {
    String host = Site.unique("burnt");
    String id = Site.unique("survives");
    try (Site site = new Site();
        HandAgent agent = HandAgent.start(site, host)) {
      site.post(only(id, host));
      ToAgent.Place place = agent.awaitPlace(id, 1);
      agent.accept(place);
      agent.run(place);
      site.statuses().await(id, RequestState.RUNNING);

      given().post("/hosts/{host}/drain?dead=true&reason=burnt+down", host).then().statusCode(202);

      site.statuses()
          .awaitThat(
              id, status -> status.state() == RequestState.QUEUED && status.attempt() != null);
      given().get("/hosts").then().body(of(host) + "state", is("LOST"));
      TopicLog.until("word of a newer epoch", () -> !agent.told(ToAgent.Clock.class).isEmpty());
      assertThat(agent.hello("second")).as("the third epoch").isEqualTo(3);
      given()
          .get("/hosts")
          .then()
          .body(of(host) + "state", is("UP"))
          .body(of(host) + "cordoned", is(true));
      given().post("/hosts/{host}/uncordon", host).then().statusCode(202);
      agent.beat(0);
      ToAgent.Place again = agent.awaitPlace(id, 2);
      agent.accept(again);
      agent.succeed(again);
      site.statuses().await(id, RequestState.SUCCEEDED);
    }
  }

  private static String of(String host) {
    return "hosts.find { it.host == '%s' }.".formatted(host);
  }

  private static ARequest only(String id, String host) {
    return aRequest(id).resource("require", Map.of("only", host));
  }
}
