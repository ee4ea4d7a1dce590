package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction;
import io.stoker.dispatcher.coordinator.placement.ImmediatePlacements;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.PostgresStore;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A dispatcher goes by what it wrote itself of a job that runs, as {@link RoundTripsTest} sees.
 * Whatever somebody else does to it meanwhile counts all the same.
 */
@QuarkusTest
@OnRealServices
class RememberedRowsTest extends WithHandAgent {
  @Inject Database database;
  @Inject Intake intake;
  @Inject Queues queues;
  @Inject ImmediatePlacements placements;

  private final String id = Site.unique("remembered");

  /** What another replica takes in. */
  private void elsewhere(ARequest request) {
    new IntakeTransaction(new PostgresStore(database), intake, queues, placements)
        .accept(List.of(request.build()))
        .await()
        .atMost(TopicLog.PATIENCE);
  }

  private ARequest here(String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }

  private ToAgent.Place runs() {
    site.post(here(id));
    return agent.awaitPlace(id, 1);
  }

  /** Its events come behind all others before it, on the same partition. */
  private void runAnother() {
    String later = Site.unique("later");
    site.post(here(later));
    agent.succeed(agent.awaitPlace(later, 1));
    site.statuses().await(later, RequestState.SUCCEEDED);
  }

  private void update(String sql, Object... parameters) throws SQLException {
    try (Connection other = site.database()) {
      assertThat(Site.update(other, sql, parameters)).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update job set changes = changes + 1000 where first_request = ?",
        "update request set version = version + 1000 where id = ?"
      })
  void whatAnotherReplicaWroteIsTold(String change) throws SQLException {
    ToAgent.Place place = runs();
    long version = site.statuses().await(id, RequestState.PLACED).version();

    update(change, id);
    agent.succeed(place);

    RequestStatus end = site.statuses().await(id, RequestState.SUCCEEDED);
    assertThat(end.version()).isGreaterThan(version + 1000);
  }

  /** As if another replica had heard a later event of it. */
  @Test
  void whatAnotherReplicaHeardIsKnown() throws SQLException {
    ToAgent.Place place = runs();

    update("update attempt set seq = 1000 where job = ?", place.job());
    agent.succeed(place);

    runAnother();
    assertThat(site.query("select state from job where id = ?", place.job()))
        .containsExactly("PLACED");
  }

  @Test
  void whoSharesItSinceIsTold() {
    ToAgent.Place place = runs();
    String equal = Site.unique("equal");

    elsewhere(here(equal).meaning(id));
    agent.succeed(place);

    assertThat(site.statuses().await(equal, RequestState.SUCCEEDED).job()).isEqualTo(place.job());
  }

  @Test
  void whoDependsOnItSinceStarts() {
    ToAgent.Place place = runs();
    String dependent = Site.unique("dependent");

    elsewhere(here(dependent).dependsOn(id));
    agent.succeed(place);

    agent.succeed(agent.awaitPlace(dependent, 1));
    site.statuses().await(dependent, RequestState.SUCCEEDED);
  }

  @Test
  void whoWaitsForItsEndSinceFollows() throws SQLException {
    ToAgent.Place place = runs();
    String next = "!" + place.job();

    update(
        "insert into job (id, fingerprint, role, state, first_request, queue, priority, seq, shape,"
            + " policy) select ?, fingerprint, 2, state, first_request, queue, priority, seq,"
            + " shape, policy from job where id = ?",
        next,
        place.job());
    agent.succeed(place);

    await()
        .atMost(TopicLog.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(site.query("select state from job where id = ?", next))
                    .containsExactly("SUCCEEDED"));
  }

  /** Its record came twice, or the commit's answer was lost. */
  @Test
  void anEndThatComesTwiceIsOneEnd() throws SQLException {
    ToAgent.Place place = runs();

    agent.succeed(place);
    long first = site.statuses().await(id, RequestState.SUCCEEDED).version();
    agent.succeed(place);

    runAnother();
    assertThat(site.query("select count(*) from attempt where job = ?", place.job()))
        .containsExactly("0");
    assertThat(site.statuses().last().get(id).version()).isEqualTo(first);
  }
}
