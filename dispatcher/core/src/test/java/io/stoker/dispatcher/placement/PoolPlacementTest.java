package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.State;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Jobs of a pool go where it has places left, and take nothing else. */
class PoolPlacementTest {
  private final List<QueueHead> heads = new ArrayList<>();
  private final List<AttemptRow> open = new ArrayList<>();

  @Test
  void aPoolIsGivenAsManyTasksAsItHolds() {
    IntStream.range(0, 8).forEach(i -> line("j" + i, aRequest("r").workers("iris")));

    Decision decision = decide(aHost("h1").cpuSlots(0).pool("iris", 6));

    assertThat(decision.assignments())
        .hasSize(6)
        .allMatch(one -> one.takes().equals(new Takes.OnPool("iris")))
        .extracting(Assignment::job)
        .containsExactly("j0", "j1", "j2", "j3", "j4", "j5");
    assertThat(decision.unplaced().get("j6").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_ROOM);
    assertThat(decision.unplaced().get("j6").sentence()).contains("a place in pool iris");
  }

  @Test
  void whatItHasIsTakenFromIt() {
    open.add(attempt("a", "iris"));
    open.add(attempt("b", "iris"));
    open.add(attempt("c", "other"));
    line("x", aRequest("r").workers("iris"));
    line("y", aRequest("r").workers("iris"));

    assertThat(decide(aHost("h1").pool("iris", 3)).assignments())
        .containsExactly(new Assignment("x", "h1", new Takes.OnPool("iris")));
  }

  @Test
  void whatWorkersEndThatMakeWayForOthersTakesNoPlaceOfTheirs() {
    AttemptRow old = attempt("old", "iris");
    AttemptRow before = attempt("before", "iris");
    AttemptRow fresh = attempt("fresh", "iris");
    open.addAll(List.of(old, before, fresh));
    IntStream.range(0, 4).forEach(i -> line("j" + i, aRequest("r").workers("iris")));

    Decision decision =
        decide(aHost("h1").pool("iris", 3).retires(old).retires(before).holds(fresh));

    assertThat(decision.assignments()).extracting(Assignment::job).containsExactly("j0", "j1");
  }

  @Test
  void theHostWithMostPlacesIsTakenAndOneWithoutThePoolNever() {
    line("a", aRequest("r").workers("iris"));
    line("b", aRequest("r").workers("nowhere"));

    Decision decision =
        decide(aHost("h1").pool("iris", 2), aHost("h2").pool("iris", 5), aHost("h3").cpuSlots(64));

    assertThat(decision.assignments()).extracting(Assignment::host).containsExactly("h2");
    assertThat(decision.unplaced().get("b").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
  }

  @Test
  void itTakesNoSlotAndNoJobOfSlotsTakesAPlace() {
    line("slot", aRequest("r"));
    line("task", aRequest("r").workers("iris"));

    assertThat(decide(aHost("h1").cpuSlots(1).pool("iris", 1)).assignments()).hasSize(2);
  }

  @Test
  void queuesTakeTurns() {
    for (int i = 0; i < 4; i++) {
      line("a" + i, aRequest("r").workers("iris").queue("a"));
    }
    for (int i = 0; i < 4; i++) {
      line("b" + i, aRequest("r").workers("iris").queue("b"));
    }

    assertThat(decide(aHost("h1").pool("iris", 4)).assignments())
        .extracting(Assignment::job)
        .containsExactly("a0", "b0", "a1", "b1");
  }

  @Test
  void noRoomIsKeptOfAPool() {
    line("a", aRequest("r").workers("iris"));
    open.add(attempt("x", "iris"));

    assertThat(PlacementPass.decide(snapshot(aHost("h1").pool("iris", 1)), -1).reservations())
        .isEmpty();
  }

  @Test
  void aHostOnTrialIsGivenOneTask() {
    line("a", aRequest("r").workers("iris"));
    line("b", aRequest("r").workers("iris"));
    Snapshot snapshot = snapshot(aHost("h1").pool("iris", 6));
    Snapshot trial = snapshot.of(snapshot.hosts().stream().map(Host::onTrial).toList());

    assertThat(PlacementPass.decide(trial, 60_000).assignments()).hasSize(1);
  }

  @Test
  void aHostWithPlacesHasRoom() {
    Host host = snapshot(aHost("h1").cpuSlots(0).pool("iris", 500)).hosts().getFirst();
    assertThat(host.hasRoom()).isTrue();
    Shape task = Shape.of(aRequest("r").workers("iris").build());
    assertThat(Lookback.of(List.of(host)).of(task, 1_000)).isEqualTo(500);
  }

  @Test
  void moreFreePlacesThanAnIntHoldsAreRoomToo() {
    int most = Integer.MAX_VALUE;
    for (AHost many :
        List.of(
            aHost("h1").cpuSlots(0).pool("a", most).pool("b", most),
            aHost("h1").cpuSlots(0).runner("ssh", most).runner("aws", most))) {
      assertThat(snapshot(many).hosts()).hasSize(1).allMatch(Host::hasRoom);
      assertThat(decide(many).roomLeft()).isTrue();
    }
  }

  @Test
  void itsShapeSaysNothingButThePool() {
    Shape shape = Shape.of(aRequest("r").workers("iris").build());
    assertThat(Shape.parse(shape.text())).isEqualTo(shape);
    assertThat(shape.text()).isEqualTo("{\"cpuFallback\":true,\"pool\":\"iris\"}");
    assertThat(shape.asksLessThan(Shape.of(aRequest("r").workers("other").build()))).isFalse();
  }

  private void line(String job, ARequest request) {
    var built = request.build();
    heads.add(
        QueueHeads.head(
            job, built.queue(), Shape.of(built), 0, heads.size() + 1, List.of(), Set.of()));
  }

  private static AttemptRow attempt(String job, String pool) {
    return anAttempt(job).heard(State.RUNNING, 0).pool(pool).row();
  }

  private Snapshot snapshot(AHost... hosts) {
    List<AHost> all = List.of(hosts);
    return FleetView.of(
        all.stream().map(AHost::row).toList(),
        open,
        heads,
        host -> true,
        host ->
            all.stream()
                .filter(one -> one.row().id().equals(host))
                .findFirst()
                .map(AHost::heartbeat)
                .or(Optional::empty),
        shape -> Set.of());
  }

  private Decision decide(AHost... hosts) {
    return PlacementPass.decide(snapshot(hosts), 60_000);
  }
}
