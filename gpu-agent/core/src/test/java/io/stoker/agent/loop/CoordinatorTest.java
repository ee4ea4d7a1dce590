package io.stoker.agent.loop;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.attempt.ReceivedRecord;
import io.stoker.agent.attempt.RunEnd;
import io.stoker.common.message.PlacementsRecord;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In which order things happen, as an agent's ports see it. */
class CoordinatorTest {
  private final Scene scene = new Scene();

  @Test
  void placement_isJournaledInOneWrite_beforeItBeginsAndBeforeItIsDealtWith() {
    scene.ready();

    List<String> happened = scene.tell(1, aPlace("a").build(), aPlace("b").build());

    assertThat(happened)
        .containsSubsequence("journal Accepted,Accepted", "launch a", "launch b", "journal Offset");
    assertThat(happened).filteredOn(said -> said.startsWith("journal A")).hasSize(1);
  }

  @Test
  void end_isToldOnlyOnceTheJournalIsForcedToTheDisk() {
    scene.ready();
    scene.tell(1, aPlace("a").build());
    scene.started("a");
    scene.reports.pass(100);

    assertThat(scene.exited("a")).contains("journal Ended", "ended").doesNotContain("says ENDED");

    scene.disk.pass(0);
    assertThat(scene.happened).containsSubsequence("journal Ended", "sync", "says ENDED");
  }

  @Test
  void endsOfOneForcedWrite_areToldTogether() {
    scene.ready();
    scene.tell(1, aPlace("a").build(), aPlace("b").build());
    scene.started("a");
    scene.started("b");
    scene.exited("a");
    scene.happened.clear();
    scene.post(new Input.Exited(Scene.key("b"), RunEnd.exit(0)));
    scene.work();

    scene.disk.pass(0);

    assertThat(scene.happened).filteredOn("sync"::equals).hasSize(1);
    assertThat(scene.happened).filteredOn("says ENDED"::equals).hasSize(2);
  }

  @Test
  void journalThatCannotBeForced_isWrittenAnew_andEndsWaitForIt() {
    scene.ready();
    scene.tell(1, aPlace("a").build());
    scene.started("a");
    scene.exited("a");
    scene.failingSyncs = 1;

    scene.disk.pass(0);

    assertThat(scene.happened)
        .containsSubsequence("REPORTS troubled", "rewrite", "REPORTS well", "says ENDED")
        .doesNotContain("sync");
  }

  @Test
  void fullDisk_takesTheRoomSetAside() {
    scene.ready();
    scene.failingAppends = 1;

    assertThat(scene.tell(1, aPlace("a").build()))
        .containsSubsequence("spare room", "journal Accepted", "launch a");
  }

  @Test
  void whatCannotBeJournaled_doesNotBegin_untilItCanBe() {
    scene.ready();
    scene.failingAppends = 2;

    assertThat(scene.tell(1, aPlace("a").build()))
        .contains("JOURNAL troubled")
        .doesNotContain("launch a");

    scene.bootMs += 2_000;
    assertThat(scene.to(new Input.Tick()))
        .as("the lease is renewed first")
        .containsSubsequence("says Heartbeat", "journal Accepted", "JOURNAL well", "launch a");
  }

  @Test
  void whatFailsOnTheWay_isHeldWithAllThatFollows() {
    scene.ready();
    scene.tell(1, aPlace("a").build());
    scene.happened.clear();
    // The entry of the decision goes in, how far the topic has been dealt with does not.
    scene.post(
        new Input.Received(
            new PlacementsRecord("host", 1, List.of(aPlace("b").build())),
            new ReceivedRecord("placements", 0, 9, null, new byte[] {1})));
    scene.failAppendsAfter(1, 1);
    scene.work();

    assertThat(scene.happened)
        .containsSubsequence("journal Accepted", "launch b", "JOURNAL troubled")
        .doesNotContain("journal Offset");

    scene.bootMs += 2_000;
    assertThat(scene.to(new Input.Tick())).containsSubsequence("JOURNAL well", "journal Offset");
  }

  @Test
  void tick_isAskedForOnce_untilItHasCome() {
    scene.ready();
    long next = scene.coordinator.nextTick().orElseThrow();
    assertThat(next).isGreaterThan(scene.bootMs);
    assertThat(scene.coordinator.nextTick()).isEmpty();

    scene.bootMs = next;
    scene.to(new Input.Tick());

    assertThat(scene.coordinator.nextTick()).isPresent();
  }
}
