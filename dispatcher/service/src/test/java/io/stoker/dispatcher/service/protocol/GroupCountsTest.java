package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.hamcrest.Matchers.is;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where a group's requests stand, alone and in the list of groups. */
@QuarkusTest
@OnRealServices
class GroupCountsTest extends WithHandAgent {
  private final String group = Site.unique("group");

  @Test
  void placedAndRunningOnesAreCountedApartFromThoseThatWait() {
    post("of-no-host", "nowhere");
    agent.accept(agent.awaitPlace(post("placed", host), 1));
    String runs = post("runs", host);
    ToAgent.Place place = agent.awaitPlace(runs, 1);
    agent.accept(place);
    agent.run(place);
    site.statuses().await(runs, RequestState.RUNNING);

    given()
        .get("/groups/{g}", group)
        .then()
        .body("total", is(3))
        .body("waiting", is(1))
        .body("placed", is(1))
        .body("running", is(1));
    String listed = "groups.find { it.group == '" + group + "' }.";
    given()
        .get("/groups")
        .then()
        .body(listed + "waiting", is(1))
        .body(listed + "placed", is(1))
        .body(listed + "running", is(1));
  }

  private String post(String name, String only) {
    String id = Site.unique(name);
    site.post(aRequest(id).with("group", group).resource("require", Map.of("only", only)));
    return id;
  }
}
