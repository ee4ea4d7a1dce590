package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.GroupLimit;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlacementPassTest extends PassScene {
  @Test
  void higherPriorityFirstThenOrderOfArrival() {
    fleet(aHost("h1").cpuSlots(2));
    line("late", aRequest("r"));
    line("urgent", aRequest("r").priority(5));
    heads.add(0, head("later", 99, aRequest("r"), List.of(), Set.of()));

    assertThat(decide().assignments())
        .extracting(Assignment::job)
        .containsExactly("urgent", "late");
    assertThat(decide().unplaced().get("later").sentence())
        .isEqualTo("none of 1 able host(s) has 1 CPU slot(s) free now");
    assertThat(decide().unplaced().get("later").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_ROOM);
  }

  @Test
  void whatDoesNotFitBlocksNothingBehindIt() {
    fleet(aHost("h1").cpuSlots(2));
    line("huge", aRequest("r").resource("cpus", 100).priority(9));
    line("two", aRequest("r").resource("cpus", 2));

    Decision decision = decide();

    assertThat(decision.assignments()).containsExactly(new Assignment("two", "h1", Takes.of(0, 2)));
    assertThat(decision.unplaced().get("huge").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
    assertThat(decision.unplaced().get("huge").sentence())
        .isEqualTo("no host can ever serve 100 CPU slot(s)");
  }

  @Test
  void whatIsGivenInAPassIsTaken() {
    fleet(aHost("h1").gpus(2).cpuSlots(0));
    line("a", aRequest("r").gpus(1));
    line("b", aRequest("r").gpus(1));
    line("c", aRequest("r").gpus(1));

    assertThat(placed()).isEqualTo(Map.of("a", "h1", "b", "h1"));
  }

  @Test
  void jobsThatShareAreGivenMemoryOfOneGpu() {
    fleet(aHost("h1").gpus(1).cpuSlots(0));
    for (String job : List.of("a", "b", "c")) {
      line(job, aRequest("r").gpus(1).resource("sharing", "shared").resource("gpuMemory", "3GiB"));
    }
    line("silent", aRequest("r").gpus(1).resource("sharing", "shared"));
    line("alone", aRequest("r").gpus(1));
    line("huge", aRequest("r").gpus(1).resource("gpuMemory", "9GiB"));

    Decision decision = decide();

    assertThat(decision.assignments())
        .containsExactly(
            new Assignment("a", "h1", new Takes.OnGpus(1, 3L << 30, null, null)),
            new Assignment("b", "h1", new Takes.OnGpus(1, 3L << 30, null, null)));
    assertThat(decision.unplaced().get("c").reason()).isEqualTo(UnschedulableReason.Reason.NO_ROOM);
    assertThat(decision.unplaced().get("silent").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_ROOM);
    assertThat(decision.unplaced().get("alone").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_ROOM);
    assertThat(decision.unplaced().get("huge").reason())
        .isEqualTo(UnschedulableReason.Reason.UNSATISFIABLE);
  }

  @Test
  void aGpuJobTakesNoSlotAndASlotJobNoGpu() {
    fleet(aHost("h1").gpus(1).cpuSlots(1));
    line("gpu", aRequest("r").gpus(1));
    line("cpu", aRequest("r"));

    assertThat(decide().assignments())
        .containsExactly(
            new Assignment("gpu", "h1", Takes.of(1, 0)),
            new Assignment("cpu", "h1", Takes.of(0, 1)));
  }

  @Test
  void whereNoHostOfTheFleetHasAGpuSlotsServeInstead() {
    fleet(aHost("h1").cpuSlots(3));
    line("gpu", aRequest("r").gpus(2));

    assertThat(decide().assignments()).containsExactly(new Assignment("gpu", "h1", Takes.of(0, 2)));
  }

  @Test
  void slotsAreRefusedWhereTheRequestSaysSo() {
    fleet(aHost("h1"));
    line("gpu", aRequest("r").gpus(1).resource("cpuFallback", false));

    assertThat(decide().assignments()).isEmpty();
    assertThat(decide().unplaced().get("gpu").sentence()).contains("cpuFallback: false");
  }

  @Test
  void slotsServeNobodyWhileAnotherHostHasAGpuEvenOneThatIsBusyOrDown() {
    fleet(
        aHost("busy").gpus(1).reserves(1, 0),
        aHost("cordoned").gpus(1).cordoned(),
        aHost("cpu").cpuSlots(8));
    line("gpu", aRequest("r").gpus(1));

    assertThat(decide().assignments()).isEmpty();
    assertThat(decide().unplaced().get("gpu").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_ROOM);
  }

  @Test
  void theSameSnapshotAlwaysGivesTheSamePlacements() {
    for (int i = 0; i < 20; i++) {
      fleet(aHost("h" + i).gpus(i % 3).cpuSlots(i % 5).label("zone", i % 2 == 0 ? "a" : "b"));
    }
    for (int i = 0; i < 60; i++) {
      line(
          "job-" + i,
          aRequest("r")
              .priority(i % 4)
              .gpus(i % 3)
              .resource("prefer", Map.of("zone", i % 2 == 0 ? "a" : "b")));
    }
    Decision first = decide();
    Random random = new Random(42);
    for (int i = 0; i < 20; i++) {
      Collections.shuffle(hosts, random);
      Collections.shuffle(heads, random);
      assertThat(decide()).isEqualTo(first);
    }
  }

  @Test
  void aGroupStartsNoMoreThanItMay() {
    fleet(aHost("h1").cpuSlots(10));
    plannedGroup("a", "exp");
    plannedGroup("b", "exp");
    plannedGroup("c", "exp");
    line("other", aRequest("r"));
    plannedGroup("free", "unlimited");

    Decision decision =
        PlacementPass.decide(
            snapshot()
                .limited(
                    Map.of(
                        "exp", new GroupLimit(2, "parallel is 2"), "unlimited", GroupLimit.NONE)),
            60_000);

    assertThat(decision.assignments())
        .extracting(Assignment::job)
        .containsExactly("a", "b", "other", "free");
    assertThat(decision.unplaced().get("c"))
        .isEqualTo(new UnschedulableReason(UnschedulableReason.Reason.GROUP, "parallel is 2"));
    assertThat(decision.reservations()).isEmpty();
  }

  private void plannedGroup(String job, String group) {
    QueueHead head = head(job, heads.size() + 1, aRequest("r"), List.of(), Set.of());
    heads.add(
        new QueueHead(
            job,
            head.queue(),
            head.shape(),
            head.priority(),
            head.seq(),
            head.rank(),
            head.avoid(),
            Set.of(),
            head.memory(),
            group,
            false));
  }
}
