package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.GIB;
import static io.stoker.agent.attempt.DeciderHarness.gpus;
import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.gate.HostLoad;
import io.stoker.agent.staged.Said.What;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.FailureCategory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Staged attempts on a host with two GPUs of 16 GiB. */
class StageRulesTest extends StagesScene {
  @Test
  void aProcessSeesAllDevicesAndIsToldToLoadAndThenToTrain() {
    List<Effect> placed = agent.tell(1, agent.stagedPlace("a", null, false));
    assertThat(only(placed, Effect.Launch.class).get(0).allocation().cudaVisibleDevices())
        .isEqualTo("4,7");
    assertThat(agent.state.ledger().allocations().get(0).devices()).isEmpty();

    List<Effect> started = agent.started("a", 1);
    assertThat(told(started)).isEqualTo("{\"v\":1,\"n\":1,\"do\":\"load\"}");
    assertThat(stages(started)).isEqualTo("LOADING[]");

    List<Effect> loaded = agent.said("a", 1, What.DONE);
    assertThat(told(loaded)).isEqualTo("{\"v\":1,\"n\":2,\"do\":\"train\",\"device\":\"cuda:0\"}");
    assertThat(stages(loaded)).isEqualTo("HOLDING[]TRAINING[4]");

    assertThat(stages(agent.said("a", 2, What.DONE))).isEqualTo("TRAINED[4]");
    List<Effect> exited = agent.exited("a", 1, 0);
    assertThat(sent(exited).get(0).outcome()).isEqualTo(Outcome.SUCCEEDED);
    assertThat(only(exited, Effect.Clean.class).get(0).devices()).containsExactly("4");
    assertThat(only(exited, Effect.CloseLog.class)).hasSize(1);
    agent.to(new Input.Cleaned(key("a", 1)));
    assertThat(agent.state.ledger().allocations()).isEmpty();
  }

  @Test
  void aTrainingOutOfMemoryKeepsItsProcessAndAnotherGetsTheDevice() {
    training();
    agent.tell(1, agent.stagedPlace("b", "4", false));
    agent.started("b", 1);
    agent.said("b", 1, What.DONE);

    List<Effect> oom = agent.said("a", 2, What.OOM);

    assertThat(only(oom, Effect.Kill.class)).isEmpty();
    assertThat(only(oom, Effect.Tell.class))
        .extracting(tell -> tell.key().job() + " " + tell.command().path("device").asText())
        .as("who came first goes first")
        .containsExactly("a cuda:0");
    agent.said("a", 3, What.OOM);
    List<Effect> third = agent.said("a", 4, What.OOM);
    assertThat(only(third, Effect.Kill.class)).hasSize(1);
    AttemptEvent end = sent(agent.exited("a", 1, 143)).get(0);
    assertThat(end.category()).isEqualTo(FailureCategory.APP);
    assertThat(end.message()).isEqualTo("TrainNumbersExceed: out of memory in train 3 of 3: why");
    assertThat(told(agent.to(new Input.Cleaned(key("a", 1)))))
        .as("the other one gets it when it is clean")
        .contains("cuda:0");
  }

  @Test
  void howLongItLoadedAndTrainedIsTold_withoutWhatItWaited_afterARestartToo() {
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.now += 3;
    agent.started("a", 1);
    agent.now += 100;
    agent.said("a", 1, What.OOM);
    agent.now += 7;
    agent.exited("a", 1, 143);
    agent.now += 9;
    agent.started("a", 1);
    agent.now += 200;
    agent.to(new Input.HostSampled(new HostLoad(90, 64 * GIB, 60 * GIB)));
    agent.said("a", 2, What.DONE);
    agent.now += 5_000;
    agent.to(new Input.HostSampled(ROOM));
    agent.now += 1_000;
    agent.restart(gpus("4", "7"), agent.now + 60_000);
    agent.ready(2);
    agent.now += 2_000;
    agent.said("a", 3, What.DONE);
    agent.now += 60;

    Usage usage = sent(agent.exited("a", 1, 0)).get(0).usage();

    assertThat(usage.loadMs()).isEqualTo(300);
    assertThat(usage.trainMs()).isEqualTo(3_000);
  }

  @Test
  void whatEndsInItsTrainingHasTrainedUntilThen() {
    training();
    agent.now += 40;

    Usage usage = sent(agent.exited("a", 1, 137)).get(0).usage();

    assertThat(usage.trainMs()).isEqualTo(40);
  }

  @Test
  void aLoadOutOfMemoryGetsAnotherProcessUntilItsNumberIsUsedUp() {
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.started("a", 1);
    for (int load = 1; load <= 2; load++) {
      List<Effect> oom = agent.said("a", load, What.OOM);
      assertThat(only(oom, Effect.Kill.class)).hasSize(1);
      List<Effect> exited = agent.exited("a", 1, 143);
      assertThat(only(exited, Effect.Launch.class).get(0).starts()).isEqualTo(load + 1);
      assertThat(told(agent.started("a", 1))).contains("\"n\":" + (load + 1));
    }

    agent.said("a", 3, What.OOM);
    AttemptEvent end = sent(agent.exited("a", 1, 143)).get(0);

    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.category()).isEqualTo(FailureCategory.APP);
    assertThat(end.message()).startsWith("LoadNumbersExceed: out of memory in load 3 of 3");
    assertThat(agent.state.ledger().allocations()).isEmpty();
  }

  @Test
  void aProcessThatDiesOfMemoryInItsLoadIsALoadOutOfMemory() {
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.started("a", 1);

    List<Effect> exited =
        agent.to(
            new Input.Exited(
                key("a", 1),
                new RunEnd(
                    java.util.OptionalInt.of(1),
                    Optional.empty(),
                    Optional.empty(),
                    Optional.of(FailureCategory.HOST_OOM),
                    Optional.empty())));

    assertThat(only(exited, Effect.Launch.class)).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void aKilledProcessFailsTheAttemptAtEveryStageAndLeavesNothing(int stage) {
    agent.to(new Input.HostSampled(new HostLoad(90, 64 * GIB, 60 * GIB)));
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.to(new Input.HostSampled(ROOM));
    if (stage == 0) {
      agent.to(new Input.HostSampled(new HostLoad(90, 64 * GIB, 60 * GIB)));
    }
    agent.started("a", 1);
    if (stage >= 2) {
      if (stage == 2) {
        agent.to(new Input.HostSampled(new HostLoad(90, 64 * GIB, 60 * GIB)));
      }
      agent.said("a", 1, What.DONE);
    }

    AttemptEvent end = sent(agent.exited("a", 1, 137)).get(0);

    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.category()).isEqualTo(FailureCategory.APP);
    assertThat(end.message())
        .startsWith("while " + List.of("AVAILABLE", "LOADING", "HOLDING", "TRAINING").get(stage))
        .contains("signal 9");
    agent.to(new Input.Cleaned(key("a", 1)));
    assertThat(agent.state.ledger().allocations()).isEmpty();
  }

  @Test
  void anEndBeforeItHasTrainedIsNoSuccess() {
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.started("a", 1);
    AttemptEvent end = sent(agent.exited("a", 1, 0)).get(0);
    assertThat(end.outcome()).isEqualTo(Outcome.FAILED);
    assertThat(end.message()).contains("before it had trained");
  }

  @Test
  void anExceptionFailsWithItsStage() {
    training();
    assertThat(only(agent.said("a", 2, What.EXCEPTION), Effect.Kill.class)).hasSize(1);
    assertThat(sent(agent.exited("a", 1, 1)).get(0).message()).isEqualTo("exception in train: why");
  }

  @Test
  void aRestartedAgentKnowsTheStageAndSaysItsCommandAgain() {
    training();

    List<Effect> again = agent.restart(gpus("4", "7"), agent.now + 60_000);

    assertThat(told(again)).isEqualTo("{\"v\":1,\"n\":2,\"do\":\"train\",\"device\":\"cuda:0\"}");
    assertThat(agent.state.ledger().holdersOf("4")).hasSize(1);
    agent.ready(2);
    assertThat(stages(agent.said("a", 1, What.DONE))).as("read again").isEmpty();
    assertThat(stages(agent.said("a", 2, What.DONE))).isEqualTo("TRAINED[4]");
    assertThat(sent(agent.exited("a", 1, 0)).get(0).outcome()).isEqualTo(Outcome.SUCCEEDED);
  }

  @Test
  void aJournalThatWasCompactedSaysTheSame() {
    training();
    agent.journal.clear();
    agent.journal.addAll(agent.state.snapshot());

    List<Effect> again = agent.restart(gpus("4", "7"), agent.now + 60_000);

    assertThat(told(again)).contains("\"n\":2");
    assertThat(agent.state.ledger().holdersOf("4")).hasSize(1);
  }

  @Test
  void aProcessIsFollowedByAnotherThroughARestart() {
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.started("a", 1);
    agent.said("a", 1, What.OOM);

    List<Effect> again = agent.restart(gpus("4", "7"), agent.now + 60_000);
    assertThat(only(again, Effect.Kill.class)).hasSize(1);
    agent.ready(2);
    assertThat(only(agent.exited("a", 1, 143), Effect.Launch.class).get(0).starts()).isEqualTo(2);

    List<Effect> lost = agent.restart(gpus("4", "7"), agent.now + 60_000);
    assertThat(only(lost, Effect.Adopt.class).get(0).process()).isEmpty();
    assertThat(only(lost, Effect.Adopt.class).get(0).starts()).isEqualTo(2);
  }

  @Test
  void whatCannotStartIsHeldAndWhatIsTooMuchGoesBack() {
    agent.to(new Input.HostSampled(new HostLoad(95, 64 * GIB, 60 * GIB)));
    for (int i = 0; i < 10; i++) {
      List<Effect> held = agent.tell(1, agent.stagedPlace("j" + i, null, true));
      assertThat(sent(held)).extracting(AttemptEvent::type).containsOnly(Type.ACCEPTED);
      assertThat(sent(held).getLast().progress().path("message").asText())
          .as("it says why")
          .contains("95.0 % busy");
      assertThat(only(held, Effect.Launch.class)).isEmpty();
    }

    AttemptEvent back = sent(agent.tell(1, agent.stagedPlace("more", null, true))).get(0);

    assertThat(back.outcome()).isEqualTo(Outcome.RETURNED);
    assertThat(back.message()).isEqualTo("10 jobs wait here, of at most 10");
    List<Effect> room = agent.to(new Input.HostSampled(ROOM));
    assertThat(only(room, Effect.Launch.class)).hasSize(10);
  }

  @Test
  void sharersPackByMemoryThatIsReservedBeforeItShows() {
    for (int i = 0; i < 3; i++) {
      agent.to(
          new Input.Observed(
              Map.of(
                  "4", new DeviceReading(6 * GIB, Map.of()),
                  "7", new DeviceReading(6 * GIB, Map.of()))));
      agent.tell(1, agent.stagedPlace("j" + i, null, true));
      agent.started("j" + i, 1);
    }

    assertThat(stages(agent.said("j0", 1, What.DONE))).contains("TRAINING[4]");
    assertThat(stages(agent.said("j1", 1, What.DONE)))
        .as("5 GiB less 1 are less than a fifth of 16 and 2 GB allow")
        .contains("TRAINING[4]");
    assertThat(agent.state.ledger().headroom("4")).hasValue(4 * GIB);
    assertThat(stages(agent.said("j2", 1, What.DONE)))
        .as("3.2 GiB must stay")
        .contains("TRAINING[7]");
  }

  @Test
  void aPinnedDeviceIsMeantByItsPlaceOrItsId() {
    agent.tell(1, agent.stagedPlace("a", "cuda:1", false));
    agent.started("a", 1);
    assertThat(stages(agent.said("a", 1, What.DONE))).contains("TRAINING[7]");
    assertThat(sent(agent.tell(1, agent.stagedPlace("b", "cuda:5", false))).get(0).outcome())
        .isEqualTo(Outcome.RETURNED);
  }

  @ParameterizedTest
  @CsvSource({"7, false", "7 4, false", "4 7, true", "7, true"})
  void aProcessCountsTheDevicesThatWereListedWhenItBegan(String list, boolean restarted) {
    loaded();
    change(list, restarted);

    List<Effect> granted = agent.to(new Input.HostSampled(ROOM));

    boolean first = list.startsWith("4");
    assertThat(told(granted)).contains(first ? "\"cuda:0\"" : "\"cuda:1\"");
    assertThat(told(agent.restart(gpus(list.split(" ")), agent.now + 60_000)))
        .as("told again")
        .contains(first ? "\"cuda:0\"" : "\"cuda:1\"");
  }

  @Test
  void aProcessThatDoesNotSeeItsDeviceIsFollowedByOneThatDoes() {
    loaded();
    change("9", false);

    List<Effect> granted = agent.to(new Input.HostSampled(ROOM));

    assertThat(only(granted, Effect.Kill.class)).hasSize(1);
    assertThat(told(granted)).isEmpty();
    List<Effect> exited = agent.exited("a", 1, 143);
    assertThat(only(exited, Effect.Launch.class).get(0).allocation().cudaVisibleDevices())
        .isEqualTo("9");
    agent.started("a", 1);
    assertThat(told(agent.said("a", 2, What.DONE))).contains("\"cuda:0\"");
  }

  @Test
  void ofAProcessThatAnEarlierBuildBeganIsThoughtThatItSeesWhatIsListedNow() {
    loaded();
    agent.journal.replaceAll(
        entry ->
            entry instanceof JournalEntry.Staged one
                ? new JournalEntry.Staged(
                    one.job(),
                    one.attempt(),
                    one.stage(),
                    one.command(),
                    one.loads(),
                    one.trains(),
                    one.starts(),
                    one.device(),
                    one.exclusive(),
                    one.memory(),
                    one.times(),
                    null)
                : entry);
    change("7", true);

    assertThat(told(agent.to(new Input.HostSampled(ROOM)))).contains("\"cuda:0\"");
  }

  /** It has loaded, and may not train yet. */
  private void loaded() {
    agent.tell(1, agent.stagedPlace("a", null, false));
    agent.started("a", 1);
    agent.to(new Input.HostSampled(new HostLoad(90, 64 * GIB, 60 * GIB)));
    agent.said("a", 1, What.DONE);
  }

  private void change(String list, boolean restarted) {
    String[] ids = list.split(" ");
    if (restarted) {
      agent.restart(gpus(ids), agent.now + 60_000);
      agent.ready(2);
      agent.started("a", 1);
    } else {
      agent.to(new Input.DevicesFound(gpus(ids)));
    }
    agent.free(ids);
  }

  @Test
  void aDeviceThatFailsEndsItsTraining() {
    training();
    List<Effect> judged =
        agent.to(
            new Input.Judged(
                Map.of(
                    "uuid-4",
                    new io.stoker.agent.device.Condition(
                        io.stoker.agent.device.Condition.State.UNHEALTHY, "Xid 79"))));
    assertThat(only(judged, Effect.Kill.class)).hasSize(1);
    assertThat(sent(agent.exited("a", 1, 143)).get(0).category())
        .isEqualTo(FailureCategory.DEVICE_FAULT);
  }
}
