package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Preemption.Plan;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who makes room for whom. */
class PreemptionTest extends PreemptionScene {
  @Test
  void aHigherPriorityOfTheSameQueueTakesTheRoomOfALowerOne() {
    hosts.add(aHost("h1").gpus(1));
    runs("low", 0, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));

    Plan plan = decide().orElseThrow();

    assertThat(plan.victims()).extracting(Running::job).containsExactly("low");
    assertThat(plan.hold())
        .isEqualTo(
            new PreemptionReservation("urgent", "default", List.of("h1"), 1, 0, NOW, null, null));
  }

  @Test
  void whoDoesNotAllowItOrIsNewOrAsUrgentIsLeft() {
    hosts.add(aHost("h1").gpus(3));
    runs("firm", 0, "default", 30, false, "h1", 1);
    runs("new", 0, "default", 9, "h1", 1);
    runs("equal", 5, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));
    assertThat(decide()).isEmpty();
  }

  @Test
  void nothingIsTakenUnlessThatMakesItFit() {
    hosts.add(aHost("h1").gpus(2));
    hosts.add(aHost("h2").gpus(2));
    for (String host : List.of("h1", "h2")) {
      runs("low-" + host, 0, "default", 30, host, 1);
      runs("firm-" + host, 0, "default", 30, false, host, 1);
    }
    waits("urgent", aRequest("r").gpus(2).priority(5));
    assertThat(decide()).isEmpty();
  }

  @Test
  void theLeastWorkIsLost() {
    hosts.add(aHost("h1").gpus(2));
    hosts.add(aHost("h2").gpus(2));
    runs("old", 0, "default", 90, "h1", 1);
    runs("older", 0, "default", 95, "h1", 1);
    runs("both", 0, "default", 80, "h2", 2);
    waits("one", aRequest("r").gpus(1).priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("old");
    heads.clear();
    waits("two", aRequest("r").gpus(2).priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("both");
  }

  @Test
  void whatALargerOneMakesNeedlessIsSpared() {
    hosts.add(aHost("h1").gpus(3));
    runs("small", 0, "default", 20, "h1", 1);
    runs("large", 0, "default", 30, "h1", 2);
    waits("two", aRequest("r").gpus(2).priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("large");
  }

  @Test
  void aGangIsTakenAsAWhole() {
    hosts.add(aHost("h1").gpus(1));
    hosts.add(aHost("h2").gpus(1));
    runs("gang", 0, "default", 20, List.of("h1", "h2"), 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));
    Plan plan = decide().orElseThrow();
    assertThat(plan.victims())
        .singleElement()
        .satisfies(victim -> assertThat(victim.members()).hasSize(2));
    assertThat(plan.hold().hosts()).containsExactly("h1");
  }

  @Test
  void aGangTakesAsManyHostsAsItNeeds() {
    for (int i = 1; i <= 3; i++) {
      hosts.add(aHost("h" + i).gpus(1));
      runs("low-" + i, 0, "default", 50 - i, "h" + i, 1);
    }
    waits("urgent", aRequest("r").gpus(1).resource("hosts", 2).priority(5));
    Plan plan = decide().orElseThrow();
    assertThat(plan.victims()).extracting(Running::job).containsExactly("low-3", "low-2");
    assertThat(plan.hold().hosts()).containsExactly("h3", "h2");
  }

  @Test
  void theTimeThatAJobMayRunDoublesEachTime() {
    hosts.add(aHost("h1").gpus(1));
    waits("urgent", aRequest("r").gpus(1).priority(5));
    for (int times = 0; times < 4; times++) {
      long minutes = 10L << times;
      running.clear();
      Running one = runs("low", 0, "default", minutes - 1, "h1", 1);
      running.set(0, preempted(one, times));
      assertThat(decide()).as("%d times, a minute less", times).isEmpty();
      running.clear();
      one = runs("low", 0, "default", minutes, "h1", 1);
      running.set(0, preempted(one, times));
      assertThat(decide()).as("%d times", times).isPresent();
    }
  }

  @Test
  void itsTimeBeginsWhenItRuns() {
    hosts.add(aHost("h1").gpus(1));
    waits("urgent", aRequest("r").gpus(1).priority(5));
    Running one = runs("low", 0, "default", 60, "h1", 1);
    List<AttemptRow> loading =
        one.members().stream().map(row -> since(row, NOW - 9 * MINUTE)).toList();
    running.set(0, new Running("low", "request-low", 0, true, 0, loading));
    assertThat(decide()).isEmpty();
  }

  @Test
  void whatWasJustPlacedHasItsRoom() {
    hosts.add(aHost("h1").gpus(2));
    runs("low", 0, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(2).priority(5));
    waits("small", aRequest("r").gpus(1));
    assertThat(decide()).as("small gets the other one in this pass").isEmpty();
  }

  @Test
  void sharersOfAGpuGiveWhatTheyWerePromised() {
    hosts.add(aHost("h1").gpus(1));
    shares("large", 4, "h1", 6L << 30);
    shares("small", 3, "h1", 2L << 30);
    waits("urgent", shared("5GiB").priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("large");
    heads.clear();
    waits("urgent", aRequest("r").gpus(1).priority(5));
    assertThat(decide().orElseThrow().victims()).as("alone").hasSize(2);
  }

  @Test
  void whatOthersHaveGrownToIsNotGivenWithASharer() {
    hosts.add(aHost("h1").gpus(1));
    shares("small", 2, "h1", 2L << 30);
    running.add(firm(shares("firm", 1, "h1", 2L << 30)));
    running.remove(1);
    used = 7L << 30;
    waits("urgent", shared("5GiB").priority(5));
    assertThat(decide()).as("the other has 5 GiB of 8").isEmpty();
    used = 4L << 30;
    assertThat(decide()).isPresent();
  }

  @Test
  void itIsSaidForWhoseEndItWaits() {
    hosts.add(aHost("h1").gpus(1));
    runs("low", 0, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));
    Decision before = PlacementPass.decide(snapshot(), Long.MAX_VALUE);
    UnschedulableReason waits =
        new UnschedulableReason(
            UnschedulableReason.Reason.PREEMPTING,
            "waits for request-low to end, which it preempts");
    assertThat(Preemption.told(before, running, decide()).unplaced().get("urgent"))
        .isEqualTo(waits);
    carryOut(decide().orElseThrow());
    Decision after = PlacementPass.decide(snapshot(), Long.MAX_VALUE);
    assertThat(Preemption.told(after, running, Optional.empty()).unplaced().get("urgent"))
        .isEqualTo(waits);
  }

  // --- words of these tests
}
