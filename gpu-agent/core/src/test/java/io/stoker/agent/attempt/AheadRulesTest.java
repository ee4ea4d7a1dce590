package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.GIB;
import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.Inventory;
import io.stoker.agent.gate.GateRules;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.staged.GpuPriority;
import io.stoker.agent.staged.StageLimits;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent.CallBack;
import io.stoker.common.message.ToAgent.Cancel;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A host with one CPU slot that holds up to three jobs behind it. */
class AheadRulesTest {
  private final DeciderHarness agent = new DeciderHarness(1).lookingAhead(3).ready(1);

  private Place ahead(String job) {
    return agent.soon(job).ahead("q").build();
  }

  private static List<String> launched(List<Effect> effects) {
    return only(effects, Effect.Launch.class).stream().map(one -> one.place().job()).toList();
  }

  private void busy() {
    agent.tell(1, agent.place("busy", 1));
    agent.started("busy", 1);
  }

  @Test
  void place_slotTaken_isAcceptedAndNotStarted() {
    busy();

    List<Effect> effects = agent.tell(1, ahead("next"));

    assertThat(sent(effects)).extracting(AttemptEvent::type).containsExactly(Type.ACCEPTED);
    assertThat(launched(effects)).isEmpty();
    assertThat(agent.state.liveKeys()).contains(key("next", 1));
  }

  @Test
  void place_slotFree_startsAtOnce() {
    assertThat(launched(agent.tell(1, ahead("first")))).containsExactly("first");
  }

  @Test
  void place_mayNotBeHeld_isReturnedAsBefore() {
    busy();

    List<Effect> effects = agent.tell(1, agent.place("plain", 1));

    assertThat(sent(effects)).extracting(AttemptEvent::outcome).containsExactly(Outcome.RETURNED);
  }

  @Test
  void exit_startsTheNext_journaledBeforeItsLaunch() {
    busy();
    agent.tell(1, ahead("next"), ahead("later"));

    List<Effect> effects = agent.exited("busy", 1, 0);

    assertThat(launched(effects)).containsExactly("next");
    int admitted = effects.indexOf(new Effect.Journal(new JournalEntry.Admitted("next", 1, 1)));
    assertThat(admitted)
        .isNotNegative()
        .isLessThan(DeciderHarness.indexOf(effects, Effect.Launch.class));
  }

  @Test
  void exit_ofAQueueTheHighestPriorityStartsFirst() {
    busy();
    agent.tell(1, ahead("low"), agent.soon("high").ahead("q").priority(5).build());

    assertThat(launched(agent.exited("busy", 1, 0))).containsExactly("high");
  }

  @Test
  void exit_aPriorityDoesNotOvertakeAnotherQueue() {
    busy();
    agent.tell(1, ahead("low"), agent.soon("other").ahead("r").priority(5).build());

    assertThat(launched(agent.exited("busy", 1, 0))).containsExactly("low");
  }

  @Test
  void place_asManyHeldAsMayBe_isReturned() {
    busy();
    agent.tell(1, ahead("a"), ahead("b"), ahead("c"));

    List<Effect> effects = agent.tell(1, ahead("d"));

    assertThat(sent(effects)).extracting(AttemptEvent::outcome).containsExactly(Outcome.RETURNED);
  }

  @Test
  void callBack_notBegun_isReturnedAndNeverStarts() {
    busy();
    Place place = ahead("next");
    agent.tell(1, place);

    AttemptEvent end = sent(agent.tell(1, new CallBack("next", 1))).getFirst();

    assertThat(end.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(end.againMs()).as("its host may be asked at once").isZero();
    assertThat(launched(agent.exited("busy", 1, 0))).isEmpty();
    assertThat(launched(agent.tell(1, place))).as("its number is below the floor").isEmpty();
  }

  @Test
  void callBack_begun_changesNothing() {
    busy();
    agent.tell(1, ahead("next"));
    agent.exited("busy", 1, 0);

    List<Effect> effects = agent.tell(1, new CallBack("next", 1));

    assertThat(sent(effects)).isEmpty();
    assertThat(agent.state.liveKeys()).contains(key("next", 1));
  }

  @Test
  void callBack_twice_tellsTheEndAgain() {
    busy();
    agent.tell(1, ahead("next"));
    agent.tell(1, new CallBack("next", 1));

    assertThat(sent(agent.tell(1, new CallBack("next", 1))))
        .extracting(AttemptEvent::outcome)
        .containsExactly(Outcome.RETURNED);
  }

  @Test
  void callBack_overtakesItsPlacement_changesNothing() {
    busy();

    assertThat(sent(agent.tell(1, new CallBack("next", 1)))).isEmpty();
    assertThat(sent(agent.tell(1, ahead("next"))))
        .extracting(AttemptEvent::type)
        .containsExactly(Type.ACCEPTED);
  }

  @Test
  void cancel_held_isOverAtOnce() {
    busy();
    agent.tell(1, ahead("next"));

    List<Effect> effects = agent.tell(1, new Cancel("next", 1, "unwanted"));

    assertThat(sent(effects)).extracting(AttemptEvent::outcome).containsExactly(Outcome.CANCELLED);
    assertThat(launched(agent.exited("busy", 1, 0))).isEmpty();
  }

  @Test
  void restart_held_isHeldOnAndNotLookedFor() {
    busy();
    agent.tell(1, ahead("next"));

    List<Effect> effects = agent.restart(1, agent.now + DeciderHarness.LEASE);

    assertThat(only(effects, Effect.Adopt.class))
        .extracting(adopt -> adopt.place().job())
        .containsExactly("busy");
    agent.started("busy", 1);
    agent.ready(2);
    assertThat(launched(agent.exited("busy", 1, 0))).containsExactly("next");
  }

  @Test
  void restart_admitted_isLookedForAmongTheLiving() {
    busy();
    agent.tell(1, ahead("next"));
    agent.exited("busy", 1, 0);

    List<Effect> effects = agent.restart(1, agent.now + DeciderHarness.LEASE);

    assertThat(only(effects, Effect.Adopt.class))
        .extracting(adopt -> adopt.place().job())
        .containsExactly("next");
    assertThat(agent.state.ledger().freeCpuSlots()).isZero();
  }

  @Test
  void reboot_heldOnAnotherBoot_countsAsLost() {
    busy();
    agent.tell(1, ahead("next"));

    List<Effect> effects = agent.reboot(agent.journal.size());

    assertThat(sent(effects))
        .filteredOn(event -> event.job().equals("next"))
        .extracting(AttemptEvent::outcome)
        .containsExactly(Outcome.LOST);
  }

  @Test
  void restart_gatesForAllJobs_arePassedWithASlotAndNotBefore() {
    busy();
    agent.tell(1, ahead("next"));
    GateRules open = GateRules.DEFAULT;
    GateRules gates =
        new GateRules(
            open.maxProcess(),
            open.maxWaiting(),
            open.defaultMemory(),
            open.defaultCudaMemory(),
            true,
            open.cpuLimit(),
            open.memory(),
            open.cudaMemory());
    DeciderHarness gated =
        new DeciderHarness(
            Inventory.withoutGpu("a test", 1),
            AgentRules.standard()
                .withStaging(
                    new AgentRules.Staging(gates, StageLimits.DEFAULT, GpuPriority.DEFAULT)));
    gated.journal.addAll(agent.journal);
    gated.restart(1, gated.now + DeciderHarness.LEASE);
    gated.ready(2);
    gated.to(new Input.HostSampled(StagesScene.ROOM));

    gated.to(new Input.HostSampled(new HostLoad(85, 64 * GIB, 60 * GIB)));
    assertThat(launched(gated.exited("busy", 1, 0))).as("the CPU is busy").isEmpty();
    assertThat(launched(gated.to(new Input.HostSampled(StagesScene.ROOM)))).containsExactly("next");
  }

  @Test
  void unfitHost_givesBackAllThatItHolds() {
    busy();
    agent.tell(1, ahead("a"), ahead("b"));

    List<Effect> effects =
        agent.to(new Input.PartJudged(Part.SPAWNER, Optional.of("it does not start")));

    assertThat(sent(effects))
        .extracting(AttemptEvent::job, AttemptEvent::outcome)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple("a", Outcome.RETURNED),
            org.assertj.core.groups.Tuple.tuple("b", Outcome.RETURNED));
  }

  @Test
  void snapshot_replaysToTheSame() {
    busy();
    agent.tell(1, ahead("a"), ahead("b"));
    agent.exited("busy", 1, 0);
    agent.started("a", 1);
    List<JournalEntry> compact = agent.state.snapshot();
    agent.journal.clear();
    agent.journal.addAll(compact);

    agent.restart(1, agent.now + DeciderHarness.LEASE);

    assertThat(agent.state.lookAhead).containsExactly(key("b", 1));
    assertThat(agent.state.ledger().freeCpuSlots()).isZero();
  }
}
