package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.HostRow;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which host a job goes to, and which never serve it. */
class HostChoiceTest extends PassScene {
  @Test
  void aRequiredLabelKeepsOtherHostsOut() {
    fleet(aHost("h1").cpuSlots(9), aHost("h2").label("zone", "b"), aHost("h3").label("zone", "a"));
    line("a", aRequest("r").resource("require", Map.of("zone", "a")));
    line("c", aRequest("r").resource("require", Map.of("zone", "c")));

    assertThat(placed()).isEqualTo(Map.of("a", "h3"));
    assertThat(decide().unplaced().get("c").sentence())
        .isEqualTo("no host can ever serve 1 CPU slot(s) with {zone=c}");
  }

  @Test
  void whichGpusNoHostHasIsSaid() {
    fleet(aHost("h1").gpus(2));
    line("large", aRequest("r").gpus(1).resource("gpuMemory", "900GiB"));
    line("named", aRequest("r").gpus(1).resource("device", "cuda:7"));

    Map<String, UnschedulableReason> unplaced = decide().unplaced();

    assertThat(unplaced.get("large").sentence())
        .isEqualTo("no host can ever serve 1 GPU(s) with 900 GiB each");
    assertThat(unplaced.get("named").sentence())
        .isEqualTo("no host can ever serve 1 GPU(s) named cuda:7");
  }

  @Test
  void hostsThatTheRequestAvoidsNeverServeIt() {
    fleet(aHost("h1"));
    line("a", aRequest("r").resource("avoid", List.of("h1")));

    assertThat(decide().unplaced().get("a").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
  }

  @Test
  void aPreferredLabelCountsMoreThanRoom() {
    fleet(aHost("h1").cpuSlots(9), aHost("h2").cpuSlots(1).label("zone", "a"));
    line("a", aRequest("r").resource("prefer", Map.of("zone", "a")));
    line("b", aRequest("r").resource("prefer", Map.of("zone", "a")));

    assertThat(placed()).as("and is no condition").isEqualTo(Map.of("a", "h2", "b", "h1"));
  }

  @Test
  void theHostWithMostRoomIsTakenByNameAmongEquals() {
    fleet(aHost("h3").cpuSlots(2), aHost("h2").cpuSlots(3), aHost("h1").cpuSlots(3));
    line("a", aRequest("r"));
    line("b", aRequest("r"));
    line("c", aRequest("r"));

    assertThat(placed()).isEqualTo(Map.of("a", "h1", "b", "h2", "c", "h1"));
  }

  @Test
  void aPinnedDeviceIsServedWhereItIs() {
    fleet(aHost("h1").gpus(8), aHost("h2").gpus(9));
    line("a", aRequest("r").gpus(1).resource("device", "8"));
    line("b", aRequest("r").gpus(1).resource("device", "77"));

    assertThat(placed()).isEqualTo(Map.of("a", "h2"));
    assertThat(decide().unplaced().get("b").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
  }

  @Test
  void aRetryWaitsForAnotherHostThanTheOneThatFailedIt() {
    fleet(aHost("failed"), aHost("busy").reserves(0, 4));
    heads.add(head("a", 1, aRequest("r"), List.of("failed"), Set.of()));

    assertThat(decide().assignments()).isEmpty();
  }

  @Test
  void theHostThatFailedAJobServesItIfNoOtherEverCan() {
    fleet(aHost("failed").cpuSlots(8), aHost("small").cpuSlots(1));
    heads.add(head("a", 1, aRequest("r").resource("cpus", 4), List.of("failed"), Set.of()));

    assertThat(placed()).isEqualTo(Map.of("a", "failed"));
  }

  @Test
  void aHostThatIsDeadIsNoOtherForWhichARetryWaits() {
    fleet(aHost("failed"), aHost("dead").state(HostRow.State.LOST).saidDead());
    heads.add(head("a", 1, aRequest("r"), List.of("failed"), Set.of()));

    assertThat(placed()).isEqualTo(Map.of("a", "failed"));
  }

  @Test
  void whatADeadHostHadTheFleetHasNoMore() {
    fleet(aHost("h1"), aHost("dead").gpus(1).state(HostRow.State.LOST).saidDead());
    line("slots", aRequest("r").gpus(1));
    line("gpu", aRequest("r").gpus(1).resource("cpuFallback", false));

    assertThat(placed()).isEqualTo(Map.of("slots", "h1"));
    assertThat(decide().unplaced().get("gpu").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
  }

  @Test
  void oneThatIsOnlyLostMayComeBack() {
    fleet(aHost("failed"), aHost("lost").state(HostRow.State.LOST));
    heads.add(head("a", 1, aRequest("r"), List.of("failed"), Set.of()));

    assertThat(decide().unplaced().get("a").reason())
        .isEqualTo(UnschedulableReason.Reason.HOSTS_AWAY);
  }

  @Test
  void aHostThatReturnedAShapeIsNotAskedForIt() {
    fleet(aHost("returned").cpuSlots(9), aHost("other"));
    heads.add(head("a", 1, aRequest("r"), List.of(), Set.of("returned")));
    heads.add(head("b", 2, aRequest("r").resource("cpus", 2), List.of(), Set.of()));

    assertThat(placed()).isEqualTo(Map.of("a", "other", "b", "returned"));
  }

  @Test
  void aHostThatIsNotUsableGetsNothing() {
    fleet(aHost("h1").cordoned());
    line("a", aRequest("r"));

    assertThat(decide().assignments()).isEmpty();
  }

  @Test
  void aHostGetsNoMorePlacementsThanItCanSoonAccept() {
    fleet(aHost("h1").cpuSlots(1000));
    IntStream.range(0, 100).forEach(i -> line("job-" + i, aRequest("r")));

    assertThat(decide().assignments()).hasSize(64);
  }
}
