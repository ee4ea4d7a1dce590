package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.RequestStatus.Member;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.testing.OnRealServices;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A job on two hosts at once, against two agents that do only what the test says. */
@QuarkusTest
@OnRealServices
class GangProtocolTest {
  private final String label = Site.unique("pair");
  private Site site;
  private HandAgent a;
  private HandAgent b;
  private String id;
  private ToAgent.Place onA;
  private ToAgent.Place onB;

  @BeforeEach
  void open() {
    site = new Site();
    a = HandAgent.start(site, label + "-a", label);
    b = HandAgent.start(site, label + "-b", label);
    id = Site.unique("gang");
    site.post(
        aRequest(id)
            .resource("hosts", 2)
            .resource("cpus", 3)
            .resource("require", Map.of("only", label))
            .retry("app", 1));
    onA = a.awaitPlace(id, 1);
    onB = b.awaitPlace(id, 1);
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
    site.close();
  }

  private HandAgent first() {
    return onA.gang().rank() == 0 ? a : b;
  }

  private List<ToAgent.Start> starts(HandAgent agent) {
    return agent.told(ToAgent.Start.class).stream()
        .filter(start -> start.job().equals(onA.job()))
        .toList();
  }

  private void start() {
    a.acceptMember(onA);
    b.acceptMember(onB);
    await().atMost(TopicLog.PATIENCE).until(() -> !starts(a).isEmpty() && !starts(b).isEmpty());
    a.run(onA);
    b.run(onB);
    site.statuses().await(id, RequestState.RUNNING);
  }

  @Test
  void itIsToldToStartWhenAllHaveAcceptedAndAgainUntilItRuns() {
    assertThat(List.of(onA.gang().rank(), onB.gang().rank())).containsExactlyInAnyOrder(0, 1);
    assertThat(onA.gang().size()).isEqualTo(2);
    assertThat(onA.token()).isNotEqualTo(onB.token());
    a.acceptMember(onA);
    b.awaitPlace(id, 1, 3);
    assertThat(starts(a)).as("b has not accepted").isEmpty();

    b.acceptMember(onB);

    await().atMost(TopicLog.PATIENCE).until(() -> starts(a).size() >= 3 && !starts(b).isEmpty());
    assertThat(starts(b).getFirst().address()).isEqualTo(first().host() + ":4000");
    a.run(onA);
    b.run(onB);
    RequestStatus running = site.statuses().await(id, RequestState.RUNNING);
    assertThat(running.members())
        .extracting(Member::host)
        .containsExactlyInAnyOrder(a.host(), b.host());
    a.succeed(onA);
    b.succeed(onB);
    site.statuses().await(id, RequestState.SUCCEEDED);
  }

  @Test
  void oneThatFailsEndsTheOtherAndAllIsPlacedAgainWhenThatIsOver() throws SQLException {
    start();

    b.fail(onB, FailureCategory.APP);

    await()
        .atMost(TopicLog.PATIENCE)
        .until(
            () ->
                a.told(ToAgent.Cancel.class).stream()
                    .anyMatch(cancel -> cancel.job().equals(onA.job())));
    assertThat(site.query("select host from attempt where job = ?", onA.job()))
        .containsExactly(a.host());
    assertThat(b.timesTold(id, 2)).isZero();
    a.cancelled(onA);
    ToAgent.Place againA = a.awaitPlace(id, 2);
    ToAgent.Place againB = b.awaitPlace(id, 2);
    a.succeed(againA);
    b.succeed(againB);
    assertThat(site.statuses().await(id, RequestState.SUCCEEDED).attempt()).isEqualTo(2);
    assertThat(site.query("select rank from attempt where job = ?", onA.job())).isEmpty();
  }

  @Test
  void oneThatNeverAcceptsSendsAllOfItBack() throws SQLException {
    a.acceptMember(onA);
    a.beat(onB.notAfter() + 60_000, onA);

    b.beat(onB.notAfter() + 60_000);

    await().atMost(TopicLog.PATIENCE).until(() -> !a.told(ToAgent.Cancel.class).isEmpty());
    a.cancelled(onA);
    ToAgent.Place againA = a.awaitPlace(id, 2);
    ToAgent.Place againB = b.awaitPlace(id, 2);
    assertThat(site.query("select failures from job where id = ?", onA.job()))
        .as("it costs no retry")
        .containsExactly((String) null);
    a.succeed(againA);
    b.succeed(againB);
    site.statuses().await(id, RequestState.SUCCEEDED);
  }

  @Test
  void cancelledItIsOverWithTheLastMember() {
    start();
    site.send(site.topics().control(), new ControlMessage.Cancel("c-" + id, id, "enough"));
    await()
        .atMost(TopicLog.PATIENCE)
        .until(
            () ->
                !a.told(ToAgent.Cancel.class).isEmpty() && !b.told(ToAgent.Cancel.class).isEmpty());
    a.cancelled(onA);
    b.cancelled(onB);
    assertThat(site.statuses().await(id, RequestState.CANCELLED).reason()).isEqualTo("enough");
  }
}
