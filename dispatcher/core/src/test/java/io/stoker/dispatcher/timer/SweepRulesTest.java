package io.stoker.dispatcher.timer;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.host.LeaseBook;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Holder;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SweepRulesTest {
  private final Scene scene = new Scene();
  private long now;

  @Test
  void aHostHoldsRightsWhileItIsUpOrHasSomethingOpen() {
    scene.post(aRequest("a"));
    scene.place("a", "gone-with-work");

    Map<String, Long> leased =
        SweepRules.leased(
            List.of(
                aHost("up").epoch(7).row(),
                aHost("lost").state(HostRow.State.LOST).row(),
                aHost("gone").state(HostRow.State.GONE).row(),
                aHost("gone-with-work").state(HostRow.State.GONE).row()),
            scene.store().attempts());

    assertThat(leased).containsExactly(Map.entry("up", 7L), Map.entry("gone-with-work", 1L));
  }

  @Test
  void held_hostsWithRightsOfWhichOnlyRefusedMessagesAreHeard() {
    HostDirectory directory = new HostDirectory(new LeaseBook(30_000, 5_000), () -> now);
    List.of("alive", "silent", "refused", "known")
        .forEach(host -> directory.heard(aHost(host).heartbeat()));
    now += 40_000;
    directory.heard(aHost("alive").beats(2).heartbeat());
    List.of("alive", "refused", "known").forEach(directory::refused);
    List<HostRow> rows =
        List.of(
            aHost("alive").row(),
            aHost("silent").row(),
            aHost("refused").row(),
            aHost("known").key(HostKey.NONE.heldFor("why")).row());
    Map<String, Long> leased = SweepRules.leased(rows, List.of());

    assertThat(SweepRules.held(leased, rows, directory)).containsExactly("refused");
    assertThat(SweepRules.released(rows, directory)).isEmpty();
    directory.believed("known");
    assertThat(SweepRules.released(rows, directory)).containsExactly("known");
  }

  @Test
  void aLossCountsUnlessMostHostsGoAtOnce() {
    assertThat(SweepRules.costsRetry(List.of("a"), List.of("a"))).isTrue();
    assertThat(SweepRules.costsRetry(List.of("a", "b"), List.of("a", "b", "c", "d"))).isTrue();
    assertThat(SweepRules.costsRetry(List.of("a", "b"), List.of("a", "b", "c"))).isFalse();
  }

  @Test
  void anAttemptIsOverdueOnlyByAHeartbeatOfTheNewestEpoch() {
    scene.post(aRequest("a"));
    AttemptRow attempt = scene.place("a", "h1");
    HostDirectory directory = new HostDirectory(new LeaseBook(30_000, 5_000), () -> 1L);
    AHost host = aHost("h1").epoch(1).clock(attempt.notAfter() + 1);
    assertThat(SweepRules.overdue(attempt, host.row(), directory.lastHeartbeat("h1")))
        .as("nothing heard")
        .isFalse();

    directory.heard(host.heartbeat());
    assertThat(SweepRules.overdue(attempt, host.row(), directory.lastHeartbeat("h1"))).isTrue();

    assertThat(
            SweepRules.overdue(attempt, aHost("h1").epoch(2).row(), directory.lastHeartbeat("h1")))
        .as("its agent has started anew")
        .isFalse();
  }

  @Test
  void aGoodbyeProvesThatWhatWasNotAcceptedNeverWillBe() {
    scene.post(aRequest("a"));
    AttemptRow attempt = scene.place("a", "h1");
    AHost host = aHost("h1").state(HostRow.State.GONE);

    assertThat(SweepRules.overdue(attempt, host.row(), Optional.empty())).isTrue();
    assertThat(SweepRules.overdue(attempt, host.row(), Optional.of(host.heartbeat()))).isTrue();
    host.holdsEnded(attempt);
    assertThat(SweepRules.overdue(attempt, host.row(), Optional.of(host.heartbeat())))
        .as("its end is still to be heard")
        .isFalse();
  }

  @Test
  void aGoodbyeProvesNothingOfWhatWasAcceptedOrLeftBehind() {
    scene.post(aRequest("a"), aRequest("b").meaning("other"));
    scene.run("a");
    AttemptRow left = scene.place("b", "h1");
    AHost host = aHost("h1").state(HostRow.State.GONE);
    Holder.Left before = new Holder.Left(left.job(), 1, 1, 0);
    host.holder(new Holder(null, null, null, false, List.of(before), null));

    assertThat(SweepRules.overdue(scene.members("a").getFirst(), host.row(), Optional.empty()))
        .isFalse();
    assertThat(SweepRules.overdue(left, host.row(), Optional.empty())).isFalse();
  }

  @Test
  void aHeartbeatProvesNothingOfWhatAnEarlierAgentLeftBehind() {
    scene.post(aRequest("a"));
    AttemptRow attempt = scene.place("a", "h1");
    HostDirectory directory = new HostDirectory(new LeaseBook(30_000, 5_000), () -> 1L);
    AHost host = aHost("h1").epoch(2).clock(attempt.notAfter() + 1);
    directory.heard(host.heartbeat());
    Holder.Left left = new Holder.Left(attempt.job(), 1, 1, 0);
    host.holder(new Holder(null, null, null, false, List.of(left), null));

    assertThat(SweepRules.overdue(attempt, host.row(), directory.lastHeartbeat("h1"))).isFalse();
    assertThat(SweepRules.leased(List.of(host.state(HostRow.State.LOST).row()), List.of(attempt)))
        .isEmpty();
  }

  @Test
  void whatWasNeverAcceptedGoesBackToTheLine() {
    scene.post(aRequest("a"), aRequest("b"));
    scene.place("a", "h1");
    scene.place("b", "h2");

    scene.transaction(unit -> SweepRules.close(unit, attempt -> attempt.host().equals("h1")));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.reason("a")).isEqualTo("host h1 did not accept it in time");
    assertThat(scene.job("a").setbacks().failures()).isEmpty();
    assertThat(scene.state("b")).isEqualTo(RequestState.PLACED);
  }

  @Test
  void cancelsAreToldAgainToTheirHosts() {
    scene.post(aRequest("a"), aRequest("b"));
    scene.place("a", "h1");
    scene.place("b", "h2");
    scene.cancel("b");

    assertThat(SweepRules.byHost(SweepRules.words(scene.store().attempts())))
        .containsOnlyKeys("h2")
        .containsEntry("h2", List.of(new ToAgent.Cancel(scene.job("b").id(), 1, "not needed")));
  }
}
