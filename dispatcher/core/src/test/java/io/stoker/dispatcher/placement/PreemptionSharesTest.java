package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.placement.Preemption.Plan;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What queues take of each other, and what becomes of room that is made or kept. */
class PreemptionSharesTest extends PreemptionScene {
  @Test
  void aQueueBelowItsShareTakesOfOneAboveItAndNoMoreThanIsDue() {
    hosts.add(aHost("h1").gpus(4));
    IntStream.range(0, 4).forEach(i -> runs("a-" + i, 0, "a", 20 + i, "h1", 1));
    waits("b", aRequest("r").gpus(2).queue("b"));
    Plan plan = decide().orElseThrow();
    assertThat(plan.victims()).extracting(Running::job).containsExactly("a-0", "a-1");
    heads.clear();
    waits("b", aRequest("r").gpus(3).queue("b"));
    assertThat(decide()).as("2 of 4 are due to it").isEmpty();
    weight("b", 3);
    assertThat(decide()).as("3 of 4 are due to it").isPresent();
  }

  @Test
  void aQueueKeepsWhatIsDueToIt() {
    hosts.add(aHost("h1").gpus(4));
    runs("large", 0, "a", 20, "h1", 4);
    waits("b", aRequest("r").gpus(1).queue("b"));
    assertThat(decide()).isEmpty();
  }

  @Test
  void aQueueThatHasHadMoreForItsWeightTakesNothing() {
    hosts.add(aHost("h1").gpus(2));
    runs("a-0", 0, "a", 20, "h1", 1);
    runs("a-1", 0, "a", 20, "h1", 1);
    waits("b", aRequest("r").gpus(1).queue("b"));
    had("b", 100);
    had("a", 99);
    assertThat(decide()).isEmpty();
    had("a", 100);
    assertThat(decide()).isPresent();
  }

  @Test
  void twoQueuesGiveOneEachWhereEitherCouldNotGiveTwo() {
    hosts.add(aHost("h1").gpus(4));
    hosts.add(aHost("h2").gpus(2));
    for (String queue : List.of("a", "c")) {
      for (int i = 0; i < 2; i++) {
        runs(queue + i, 0, queue, (queue.equals("a") ? 20 : 30) + i, "h1", 1);
      }
      runs(queue + 2, 0, queue, 5, "h2", 1);
    }
    waits("b", aRequest("r").gpus(2).queue("b"));
    assertThat(decide().orElseThrow().victims())
        .as("2 are due to each of three")
        .extracting(Running::job)
        .containsExactlyInAnyOrder("a0", "c0");
  }

  @Test
  void moreSlotsThanAnIntHoldsAreDueToQueuesAllTheSame() {
    hosts.add(aHost("h1").cpuSlots(4));
    hosts.add(aHost("m1").cpuSlots(Integer.MAX_VALUE));
    hosts.add(aHost("m2").cpuSlots(Integer.MAX_VALUE));
    for (String job : List.of("a0", "a1", "a2", "a3")) {
      AttemptRow row =
          anAttempt(job)
              .queue("a")
              .host("h1")
              .heard(AttemptRow.State.ACCEPTED, 1)
              .cpuSlots(1)
              .placed(NOW - 20 * MINUTE, 0)
              .row();
      AttemptRow since = since(row, NOW - 20 * MINUTE);
      adds(new Running(job, "request-" + job, 0, true, 0, List.of(since)));
    }
    waits("b", aRequest("r").queue("b").resource("avoid", List.of("m1", "m2")));
    assertThat(decide()).as("a has less than is due to it").isEmpty();
  }

  @Test
  void whatIsBeingEndedIsWaitedFor() {
    hosts.add(aHost("h1").gpus(2));
    runs("low", 0, "default", 30, "h1", 1);
    Running ended = runs("ended", 0, "default", 30, "h1", 1);
    running.set(1, with(ended, "another", "drained"));
    waits("urgent", aRequest("r").gpus(1).priority(5));
    assertThat(decide()).as("what ends is enough").isEmpty();
    heads.clear();
    waits("urgent", aRequest("r").gpus(2).priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("low");
  }

  @Test
  void forWhomRoomIsHeldTakesNoMore() {
    hosts.add(aHost("h1").gpus(2));
    runs("low", 0, "default", 30, "h1", 1);
    Running ended = runs("ended", 0, "default", 30, "h1", 1);
    running.set(1, with(ended, "urgent", "preempted"));
    waits("urgent", aRequest("r").gpus(1).priority(5));
    reservations = List.of(hold("urgent", "default", "h1", 1));
    assertThat(decide()).isEmpty();
  }

  @Test
  void roomThatIsMadeForAnotherIsNotCounted() {
    hosts.add(aHost("h1").gpus(2));
    runs("low", 0, "default", 30, "h1", 1);
    Running ended = runs("ended", 0, "default", 30, "h1", 1);
    running.set(1, with(ended, "first", "preempted"));
    waits("first", aRequest("r").gpus(1).priority(5));
    waits("second", aRequest("r").gpus(1).priority(5));
    reservations = List.of(hold("first", "default", "h1", 1));
    Plan plan = decide().orElseThrow();
    assertThat(plan.hold().job()).isEqualTo("second");
    assertThat(plan.victims()).extracting(Running::job).containsExactly("low");
  }

  @Test
  void whatIsHeldForAQueueCountsAsItsOwn() {
    hosts.add(aHost("h1").gpus(4));
    IntStream.range(0, 4).forEach(i -> runs("a-" + i, 0, "a", 20 + i, "h1", 1));
    waits("b-0", aRequest("r").gpus(1).queue("b"));
    waits("b-1", aRequest("r").gpus(1).queue("b"));
    waits("b-2", aRequest("r").gpus(1).queue("b"));
    List<String> took = new ArrayList<>();
    for (Optional<Plan> plan = decide(); plan.isPresent(); plan = decide()) {
      took.add(plan.get().hold().job());
      carryOut(plan.get());
    }
    assertThat(took).as("2 of 4 are due to it").containsExactly("b-0", "b-1");
  }

  @Test
  void aHostThatIsKeptForOneThatHasWaitedLongIsLeft() {
    hosts.add(aHost("h1").gpus(1));
    runs("low", 0, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));
    waits("claimed", aRequest("r").gpus(1).priority(0));
    reservations = List.of(new Reservation("claimed", "default", List.of("h1"), 5));
    assertThat(decide()).isEmpty();
  }
}
