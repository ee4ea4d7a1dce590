package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.is;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where a group's requests stand, alone and in the list of groups; and how many are in lines. */
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

  @Test
  void linesAreCountedAsTheyChange() throws Exception {
    String waits = post("of-no-host", "nowhere");
    String placed = post("placed", host);
    agent.accept(agent.awaitPlace(placed, 1));
    site.statuses().await(waits, RequestState.QUEUED);
    String counted =
        "select coalesce(sum(jobs), 0) = (select count(*) from ready) from (select jobs from line_count"
            + " union all select jobs from line_entry) c";
    assertThat(site.query(counted)).containsExactly("t");
    given().delete("/requests/{id}", waits).then().statusCode(202);
    site.statuses().await(waits, RequestState.CANCELLED);
    await()
        .atMost(TopicLog.PATIENCE)
        .until(() -> site.query("select count(*) from line_entry").equals(List.of("0")));
    assertThat(site.query(counted)).containsExactly("t");
  }

  private String post(String name, String only) {
    String id = Site.unique(name);
    site.post(aRequest(id).with("group", group).resource("require", Map.of("only", only)));
    return id;
  }
}
