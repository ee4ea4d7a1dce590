package io.stoker.dispatcher.service.protocol;

import static io.restassured.RestAssured.given;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.leader.LeaderElection;
import io.stoker.dispatcher.model.Takeover;
import io.stoker.dispatcher.model.Takeover.Look;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.FleetTable;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A database and its topics serve one fleet; whoever is configured for another is told so. */
@QuarkusTest
@OnRealServices
class OneFleetTest extends WithSite {
  @Inject Database database;
  @Inject LeaderElection election;

  @Test
  void anAgentOfAnotherFleetIsNotWelcome() throws SQLException {
    String stranger = Site.unique("stranger");
    HostResources resources = new HostResources(List.of(), 4, Map.of(), "none");
    site.send(
        site.topics().heartbeats(),
        new Hello(stranger, "nonce", "journal", "secret", "test", "boot", resources, List.of()));

    try (HandAgent ours = HandAgent.start(site, Site.unique("ours"))) {
      assertThat(site.query("select state from host where id = ?", ours.host()))
          .as("said hello later, and is welcomed")
          .containsExactly("UP");
      assertThat(site.query("select id from host where id = ?", stranger)).isEmpty();
    }
  }

  @Test
  void aDispatcherOfAnotherFleetSchedulesNothing() throws SQLException {
    Look look =
        database
            .transaction(
                session ->
                    new FleetTable(session)
                        .forgetOthers("secret")
                        .chain(
                            () ->
                                new FleetTable(session)
                                    .claim("secret", "another", 3_000, Takeover.START, 0)))
            .await()
            .atMost(TopicLog.PATIENCE);

    assertThat(look.mine()).isFalse();
    assertThat(look.fleet()).isEqualTo("default");
    assertThat(site.query("select name from fleet")).containsExactly("default");
    assertThat(election.otherFleet()).isEmpty();
  }

  /** Welcomed by an earlier build, its jobs run on. */
  @Test
  void aHostOfAnotherFleetThatIsThereAlreadyGetsNothingMore() throws SQLException {
    String host = Site.unique("moved");
    String id = Site.unique("job");
    try (HandAgent agent = HandAgent.start(site, host)) {
      try (Connection connection = site.database()) {
        Site.update(connection, "update host set fleet = 'secret' where id = ?", host);
      }
      site.post(aRequest(id).resource("require", Map.of("only", host)));
      site.statuses().await(id, RequestState.QUEUED);

      assertThat(why(id, host)).isEqualTo("its agent says fleet secret, and this is fleet default");
      assertThat(agent.told(ToAgent.Place.class)).isEmpty();
    }
  }

  /** What the host says to a job in line. */
  private static String why(String id, String host) {
    return given()
        .get("/explain/{id}", id)
        .jsonPath()
        .getString("hosts.find { it.host == '%s' }.sentence".formatted(host));
  }
}
