package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.EventsRecord;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.ToAgent;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.placement.PlacementTransaction;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Placements, epochs and tokens, against an agent that does only what the test says. */
@QuarkusTest
@OnRealServices
class PlacementProtocolTest extends WithHandAgent {
  @Inject PlacementTransaction placement;

  @Test
  void unacceptedAttemptIsPublishedAgain() {
    String id = post();

    agent.awaitPlace(id, 1, 3);

    assertThat(agent.told(ToAgent.Place.class)).hasSizeGreaterThanOrEqualTo(3);
    assertThat(agent.told(ToAgent.Place.class).stream().distinct().toList())
        .as("each time the same, token and notAfter too")
        .hasSize(1);
  }

  @Test
  void anAcceptedAttemptIsNotPublishedAgain() {
    String id = post();
    ToAgent.Place place = agent.awaitPlace(id, 1);
    agent.accept(place);
    await()
        .atMost(TopicLog.PATIENCE)
        .until(
            () ->
                site.query("select state from attempt where job = ?", place.job())
                    .equals(List.of("ACCEPTED")));
    String other = post();
    int told = agent.timesToldByNow(id, 1);

    agent.awaitPlace(other, 1, 3);

    assertThat(agent.timesToldByNow(id, 1)).as("one may have been under way").isLessThan(told + 2);
  }

  @Test
  void unacceptedAttemptIsClosedOnlyOnEvidence() throws SQLException {
    String id = post();
    ToAgent.Place place = agent.awaitPlace(id, 1);

    agent.beat(place.notAfter() + 60_000, place);
    agent.awaitPlace(id, 1, 4);
    assertThat(site.query("select number from attempt where job = ?", place.job()))
        .as("its agent holds it, however late its event is")
        .containsExactly("1");

    agent.beat(place.notAfter() + 60_000);
    ToAgent.Place second = agent.awaitPlace(id, 2);
    assertThat(second.token()).isNotEqualTo(place.token());
    agent.succeed(second);
    assertThat(site.statuses().await(id, RequestState.SUCCEEDED).attempt()).isEqualTo(2);
  }

  @Test
  void epochGrantedOncePerNonce() throws SQLException {
    long first = agent.hello("start-1");

    assertThat(agent.hello("start-1")).isEqualTo(first);
    assertThat(agent.hello("start-2")).isEqualTo(first + 1);
    assertThat(site.query("select epoch from host where id = ?", host))
        .containsExactly(String.valueOf(first + 1));
  }

  @Test
  void aFormerSchedulerCannotPlace() throws SQLException {
    String id = Site.unique("placed-by");
    try (Connection other = site.database()) {
      claim(other);
      site.post(here(id));
      await()
          .atMost(TopicLog.PATIENCE)
          .until(
              () -> {
                // Else it lapses where the machine is slow.
                Site.update(other, "update fleet set held_until = held_until + 1");
                return !site.statuses().of(id).isEmpty();
              });
      // One that has lapsed meanwhile all the same tells nothing: then it is claimed once more.
      await()
          .atMost(TopicLog.PATIENCE)
          .until(
              () -> {
                claim(other);
                Optional<?> passed = placement.pass().await().atMost(TopicLog.PATIENCE);
                boolean holds =
                    site.query("select scheduler from fleet").equals(List.of("another replica"));
                if (holds) {
                  assertThat(passed).isEmpty();
                }
                return holds;
              });
    }

    ToAgent.Place place = agent.awaitPlace(id, 1);

    assertThat(site.query("select scheduler from fleet"))
        .as("only once the other's claim was seen to lapse")
        .doesNotContain("another replica");
    agent.succeed(place);
  }

  private static void claim(Connection other) throws SQLException {
    Site.update(
        other,
        "update fleet set epoch = epoch + 1, scheduler = 'another replica', held_until = ?",
        System.currentTimeMillis() + 4_000);
  }

  /** That is what a claim of before looks like once the database's clock is set back. */
  @Test
  void aClaimThatIsNotRenewedLapsesWhateverTheDatabasesClockSays() throws SQLException {
    String id = Site.unique("after-the-step");
    try (Connection other = site.database()) {
      Site.update(
          other,
          "update fleet set epoch = epoch + 1, scheduler = 'dead', held_until = held_until +"
              + " 3600000");
    }
    site.post(here(id));

    ToAgent.Place place = agent.awaitPlace(id, 1);

    agent.succeed(place);
    site.statuses().await(id, RequestState.SUCCEEDED);
  }

  /** It may have died before it did, and no record would tell of them again. */
  @Test
  void whoTakesOverPublishesWhatTheOneBeforeWasAboutTo() throws SQLException {
    String id = post();
    agent.succeed(agent.awaitPlace(id, 1));
    site.statuses().await(id, RequestState.SUCCEEDED);
    int before = site.statuses().of(id).size();

    try (Connection other = site.database()) {
      Site.update(
          other,
          "update fleet set epoch = epoch + 1, scheduler = 'dead', held_until = 0, announced = ?",
          (Object) new String[] {id});
    }

    await().atMost(TopicLog.PATIENCE).until(() -> site.statuses().of(id).size() > before);
    assertThat(site.statuses().of(id).getLast().state()).isEqualTo(RequestState.SUCCEEDED);
    await()
        .atMost(TopicLog.PATIENCE)
        .until(() -> site.query("select 1 from due_status where request = ?", id).isEmpty());
  }

  /** Until the next one does. */
  @Test
  void aPassNotesWhoseStatusesItIsAboutToPublish() {
    await()
        .atMost(TopicLog.PATIENCE)
        .until(
            () -> {
              // What has no dependencies is placed where it is taken in.
              String first = post();
              String id = Site.unique("follows");
              site.post(
                  aRequest(id)
                      .meaning(id)
                      .list("dependsOn", first)
                      .resource("require", Map.of("only", host)));
              agent.succeed(agent.awaitPlace(first, 1));
              agent.succeed(agent.awaitPlace(id, 1));
              return site.query("select unnest(announced) from fleet").contains(id);
            });
  }

  @Test
  void anEventWithAWrongTokenIsDeadLetteredAndChangesNothing() {
    String id = post();
    ToAgent.Place place = agent.awaitPlace(id, 1);

    agent.send(agent.event(place, Type.ENDED, Outcome.SUCCEEDED, "Zm9yZ2Vk"));

    site.deadLetters()
        .await(
            "the forged event",
            record ->
                new String(record.value()).contains(place.job())
                    && TopicLog.header(record, "stoker-reason").contains("wrong lease token"));
    agent.run(place);
    site.statuses().await(id, RequestState.RUNNING);
    assertThat(site.statuses().of(id))
        .noneSatisfy(status -> assertThat(status.state().terminal()).isTrue());
    agent.succeed(place);
  }

  @Test
  void anotherHostsEventIsDeadLettered() {
    String id = post();
    ToAgent.Place place = agent.awaitPlace(id, 1);
    var event = agent.event(place, Type.ENDED, Outcome.SUCCEEDED, place.token());

    site.send(site.topics().events(), new EventsRecord("intruder", 1, List.of(event)));

    site.deadLetters()
        .await(
            "the intruder's event",
            record -> TopicLog.header(record, "stoker-reason").contains("belongs to host " + host));
    agent.succeed(place);
    site.statuses().await(id, RequestState.SUCCEEDED);
  }

  @Test
  void aRepeatedTerminalEventIsForgottenAgainAndChangesNothing() throws SQLException {
    String id = post();
    ToAgent.Place place = agent.awaitPlace(id, 1);
    var end = agent.event(place, Type.ENDED, Outcome.SUCCEEDED, place.token());
    agent.send(end);
    long version = site.statuses().await(id, RequestState.SUCCEEDED).version();

    agent.send(end);

    await().atMost(TopicLog.PATIENCE).until(() -> agent.told(ToAgent.Forget.class).size() >= 2);
    assertThat(site.statuses().of(id).getLast().version()).isEqualTo(version);
    assertThat(site.query("select attempt from job where id = ?", place.job()))
        .containsExactly("1");
  }

  @Test
  void aCancelIsToldAgainUntilTheAttemptIsOver() {
    String id = post();
    ToAgent.Place place = agent.awaitPlace(id, 1);
    agent.run(place);
    site.statuses().await(id, RequestState.RUNNING);

    site.send(site.topics().control(), new ControlMessage.Cancel("c-" + id, id, "enough"));

    await().atMost(TopicLog.PATIENCE).until(() -> agent.told(ToAgent.Cancel.class).size() >= 3);
    site.statuses().awaitThat(id, RequestStatus::stopRequested);
    assertThat(site.statuses().of(id).getLast().state()).isEqualTo(RequestState.RUNNING);
    agent.cancelled(place);
    assertThat(site.statuses().await(id, RequestState.CANCELLED).reason()).isEqualTo("enough");
  }

  /** This agent does not say that it takes messages in parts: it is of an earlier version. */
  @Test
  void whatIsTooLargeForItsAgentFailsWithACodeAndStopsNobodyElse() throws SQLException {
    String id = Site.unique("large");
    String[] command = new String[9];
    Arrays.fill(command, "x".repeat((Limits.REQUEST - 1_000) / command.length));
    site.post(here(id).list("command", command));
    ToAgent.Cancel cancel = agent.awaitCancel();

    agent.awaitPlace(post(), 1);
    assertThat(site.query("select number from attempt where job = ?", cancel.job()))
        .as("when it was a little smaller it may have been sent")
        .containsExactly("1");
    agent.beatCancelled(System.currentTimeMillis() + 3_600_000, cancel);

    RequestStatus end = site.statuses().await(id, RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.TOO_LARGE);
    assertThat(end.attempt()).isEqualTo(1);
    assertThat(end.reason()).contains("the agent of host " + host);
  }

  @Test
  void aCancelThatNoPlacementCameBeforeEndsTheJobThoughItsAgentCanSignNothing() {
    String id = post();
    ToAgent.Place place = agent.awaitPlace(id, 1);
    site.send(site.topics().control(), new ControlMessage.Cancel(Site.unique("c"), id, "no"));
    ToAgent.Cancel cancel = agent.awaitCancel();

    agent.beatCancelled(place.notAfter() + 60_000, cancel);

    assertThat(site.statuses().await(id, RequestState.CANCELLED).code()).isEqualTo(Code.CANCELLED);
  }

  private String post() {
    String id = Site.unique("job");
    site.post(here(id));
    return id;
  }

  private ARequest here(String id) {
    return aRequest(id).resource("require", Map.of("only", host));
  }
}
