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
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Staged jobs wait for their GPUs on their hosts. */
class StagedPlacementTest {
  private final List<QueueHead> heads = new ArrayList<>();
  private final List<AttemptRow> open = new ArrayList<>();

  @Test
  void theyGoToHostsWhoseGpusAreTakenUpToWhatTheseHold() {
    open.add(attempt("running", State.RUNNING, "0"));
    for (String job : List.of("a", "b", "c")) {
      staged(job);
    }
    line("plain", aRequest("r").gpus(1));

    Decision decision = decide(aHost("h1").gpus(1).stagedWaiting(2));

    assertThat(decision.assignments())
        .containsExactly(
            new Assignment("a", "h1", Takes.of(1, 0)), new Assignment("b", "h1", Takes.of(1, 0)));
    assertThat(decision.unplaced()).containsOnlyKeys("c", "plain");
  }

  @Test
  void whoWaitsThereLeavesItsGpuToOthersAndCountsAsWaiting() {
    open.add(attempt("waits", State.RUNNING));
    staged("a");
    line("plain", aRequest("r").gpus(1));

    Decision decision = decide(aHost("h1").gpus(1).stagedWaiting(1));

    assertThat(decision.assignments())
        .as("the one GPU is free, and nobody more may wait")
        .containsExactly(new Assignment("a", "h1", Takes.of(1, 0)));
    assertThat(decision.unplaced()).containsOnlyKeys("plain");
  }

  @Test
  void whoTrainsHasItsGpu() {
    open.add(attempt("trains", State.RUNNING, "0"));
    line("plain", aRequest("r").gpus(1));

    assertThat(decide(aHost("h1").gpus(1).stagedWaiting(5)).assignments()).isEmpty();
  }

  @Test
  void anAgentThatHoldsNoneGetsNoMoreThanItHasGpus() {
    staged("a");
    staged("b");

    assertThat(decide(aHost("h1").gpus(1)).assignments())
        .containsExactly(new Assignment("a", "h1", Takes.of(1, 0)));
  }

  @Test
  void aHostWithAFreeGpuGoesFirst() {
    open.add(attempt("running", State.RUNNING, "0"));
    staged("a");

    assertThat(
            decide(aHost("h1").gpus(1).stagedWaiting(5), aHost("h2").gpus(1).stagedWaiting(5))
                .assignments())
        .containsExactly(new Assignment("a", "h2", Takes.of(1, 0)));
  }

  @Test
  void aPinnedOneGoesWhereThatDeviceIs() {
    line("a", aRequest("r").gpus(1).list("stages", "load", "train").resource("device", "cuda:1"));
    line("b", aRequest("r").gpus(1).resource("device", "cuda:7"));

    Decision decision = decide(aHost("h1").gpus(1), aHost("h2").gpus(2));

    assertThat(decision.assignments()).containsExactly(new Assignment("a", "h2", Takes.of(1, 0)));
    assertThat(decision.unplaced().get("b").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
  }

  private void staged(String job) {
    line(job, aRequest("r").gpus(1).list("stages", "load", "train"));
  }

  private void line(String job, ARequest request) {
    var built = request.build();
    heads.add(
        QueueHeads.head(
            job, built.queue(), Shape.of(built), 0, heads.size() + 1, List.of(), Set.of()));
  }

  private static AttemptRow attempt(String job, State state, String... devices) {
    return anAttempt(job).heard(state, 0).gpus(1).devices(List.of(devices)).row();
  }

  private Decision decide(AHost... hosts) {
    List<AHost> all = List.of(hosts);
    Snapshot snapshot =
        FleetView.of(
            all.stream().map(AHost::row).toList(),
            open,
            heads,
            id -> true,
            id -> Optional.empty(),
            shape -> Set.of());
    return PlacementPass.decide(snapshot, 60_000);
  }
}
