package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.GIB;
import static io.stoker.agent.attempt.DeciderHarness.gpus;
import static io.stoker.agent.attempt.DeciderHarness.key;
import static io.stoker.agent.attempt.DeciderHarness.only;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.Condition;
import io.stoker.agent.device.DeviceReading;
import io.stoker.agent.device.Inventory;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.common.message.HostMessage.SettingAnswer;
import io.stoker.common.message.ToAgent.SetDevices;
import io.stoker.common.message.ToAgent.SetPolicy;
import io.stoker.common.state.FailureCategory;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Policies and device lists that change while jobs run. */
class DeviceRulesTest {
  private static final SetPolicy ROUND_ROBIN = new SetPolicy("round-robin", Map.of(), null);

  @Test
  void theFirstDeviceIsTakenUnlessAnotherPolicyIsSet() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1", "2")).ready(1);
    agent.free("0", "1", "2");

    assertThat(given(agent, "a", 1, GIB, true)).containsExactly("0");
    assertThat(given(agent, "b", 1, GIB, true)).containsExactly("0");
    List<Effect> effects = agent.tell(1, ROUND_ROBIN);
    assertThat(only(effects, Effect.SayInventory.class)).as("people see it at once").hasSize(1);
    assertThat(offer(agent).policy()).isEqualTo("round-robin");
    assertThat(given(agent, "c", 1, GIB, true)).containsExactly("1");
    assertThat(given(agent, "d", 1, GIB, true)).containsExactly("2");
    assertThat(agent.tell(1, ROUND_ROBIN))
        .as("told again")
        .noneMatch(Effect.Note.class::isInstance);
    assertThat(given(agent, "e", 1, GIB, true)).as("it keeps its place").containsExactly("0");

    agent.tell(1, new SetPolicy(null, null, null));
    assertThat(offer(agent).policy()).as("what is configured").isEqualTo("first-fit");
    assertThat(given(agent, "f", 1, GIB, true)).containsExactly("0");
  }

  @Test
  void aPolicyWithoutAValueIsRefusedAndEndsNoAgent() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    Map<String, String> none = new HashMap<>();
    none.put("put_interval", null);

    agent.tell(1, new SetPolicy("auto", none, "order-1"));

    assertThat(offer(agent).policy()).isEqualTo("first-fit");
    assertThat(offer(agent).answers())
        .singleElement()
        .satisfies(
            answer -> {
              assertThat(answer.id()).isEqualTo("order-1");
              assertThat(answer.problem()).contains("put_interval").contains("null");
            });
  }

  @Test
  void aPlacementThatNamesADeviceAndSeveralGpusGoesBackAndEndsNoAgent() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    agent.free("0", "1");

    AttemptEvent end = sent(agent.tell(1, agent.soon("a").gpus(2).device("0").build())).getFirst();

    assertThat(end.outcome()).isEqualTo(AttemptEvent.Outcome.RETURNED);
    assertThat(end.message()).isEqualTo("it names device '0' and 2 GPUs");
    assertThat(given(agent, "b", 2, null, false)).containsExactly("0", "1");
  }

  @Test
  void anExclusiveJobGetsFreeDevicesAloneInTheOrderOfThePolicy() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1", "2")).ready(1);
    agent.free("0", "1", "2");
    agent.tell(1, ROUND_ROBIN);

    assertThat(given(agent, "shared", 1, GIB, true)).containsExactly("1");
    assertThat(given(agent, "a", 1, null, false)).containsExactly("2");
    assertThat(given(agent, "b", 1, null, false)).containsExactly("0");
    assertThat(outcome(agent, "c", 1, null, false)).isEqualTo(AttemptEvent.Outcome.RETURNED);
  }

  @Test
  void soManyJobsShareADeviceAsThePolicyIsToldAndNoMore() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    agent.free("0", "1");
    agent.tell(1, new SetPolicy("first-fit", Map.of("jobs-per-device", "2"), null));
    assertThat(offer(agent).sharedMemory()).as("what the dispatcher counts them with").isPositive();

    assertThat(given(agent, "a", 1, null, true)).containsExactly("0");
    assertThat(given(agent, "b", 1, null, true)).containsExactly("0");
    assertThat(given(agent, "c", 1, null, true)).containsExactly("1");
    assertThat(given(agent, "d", 1, null, true)).containsExactly("1");
    assertThat(outcome(agent, "e", 1, null, true)).isEqualTo(AttemptEvent.Outcome.RETURNED);
  }

  @Test
  void aPolicyThatCannotBeUsedLeavesTheOldOneAndSaysWhy() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    agent.tell(1, new SetPolicy("lucky", Map.of(), null));

    assertThat(offer(agent).policy()).isEqualTo("first-fit");
    assertThat(offer(agent).problem()).startsWith("no policy is called 'lucky'; there are auto");

    agent.tell(1, new SetPolicy("auto", Map.of("seed", "1"), null));
    assertThat(offer(agent).problem()).startsWith("policy auto has no parameter seed");
    agent.tell(1, new SetPolicy("packed", Map.of(), null));
    assertThat(offer(agent).problem()).isNull();
  }

  @Test
  void whatAPolicyWithholdsForAWhile_goesBackWithHowLong() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    agent.free("0", "1");
    agent.tell(
        1,
        new SetPolicy(
            "auto",
            Map.of("put-interval", "5s", "available-interval", "0", "mean-memory-occupated", "10"),
            null));
    given(agent, "a", 1, GIB, true);
    agent.now += 1_000;
    given(agent, "b", 1, GIB, true);
    agent.now += 500;

    AttemptEvent one = sent(agent.tell(1, agent.gpuPlace("c", 1, GIB, true))).getFirst();
    AttemptEvent two = sent(agent.tell(1, agent.gpuPlace("d", 2, GIB, true))).getFirst();
    AttemptEvent much = sent(agent.tell(1, agent.gpuPlace("e", 1, 999 * GIB, true))).getFirst();

    assertThat(one.outcome()).isEqualTo(AttemptEvent.Outcome.RETURNED);
    assertThat(one.againMs()).as("5 s after a was given a device").isEqualTo(3_500);
    assertThat(two.againMs()).as("and b its").isEqualTo(4_500);
    assertThat(much.outcome()).isEqualTo(AttemptEvent.Outcome.RETURNED);
    assertThat(much.againMs()).as("time mends nothing").isNull();
    agent.now += 3_500;
    assertThat(given(agent, "f", 1, GIB, true)).hasSize(1);
  }

  @Test
  void theEstimateOfAutoComesFromWhatRunsHereAlsoIfItIsSetLater() {
    DeciderHarness agent = new DeciderHarness(gpus("0")).ready(1);
    agent.free("0");
    given(agent, "a", 1, GIB, true);
    agent.started("a", 1);
    agent.tell(
        1, new SetPolicy("auto", Map.of("available-interval", "0", "put-interval", "0"), null));
    agent.to(
        new Input.Observed(
            Map.of("0", new DeviceReading(13 * GIB, Map.of("a-1", 3 * GIB, "x-1", 9 * GIB)))));

    AttemptEvent b = sent(agent.tell(1, agent.gpuPlace("b", 1, null, true))).get(0);
    assertThat(b.devices()).as(String.valueOf(b.message())).containsExactly("0");

    assertThat(agent.state.ledger().headroom("0")).as("13 - the 3 that a takes").hasValue(10 * GIB);
  }

  @Test
  void anotherDeviceListIsLookedForOnceAndOffered() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    agent.free("0", "1");

    List<Effect> asked = agent.tell(1, new SetDevices("1", null));
    assertThat(only(asked, Effect.FindDevices.class))
        .containsExactly(new Effect.FindDevices(Optional.of("1")));
    assertThat(agent.tell(1, new SetDevices("1", null)))
        .noneMatch(Effect.FindDevices.class::isInstance);
    List<Effect> found = agent.to(new Input.ListUsed(Optional.of("1"), gpus("1")));

    assertThat(only(found, Effect.SayInventory.class)).hasSize(1);
    assertThat(offer(agent).devices()).extracting(device -> device.id()).containsExactly("1");
    assertThat(given(agent, "a", 1, null, false)).containsExactly("1");
    assertThat(only(agent.tell(1, new SetDevices(null, null)), Effect.FindDevices.class))
        .containsExactly(new Effect.FindDevices(Optional.empty()));
    assertThat(agent.to(new Input.ListRefused(Optional.empty(), "no device '7'"))).isNotEmpty();
    assertThat(offer(agent).problem()).isEqualTo("no device '7'");
    assertThat(offer(agent).devices()).hasSize(1);
  }

  @Test
  void whoeverToldTheHostSomethingIsAnswered() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    assertThat(offer(agent).answers()).isNull();

    agent.tell(1, new SetPolicy("lucky", Map.of(), "p1"));
    assertThat(offer(agent).answers())
        .singleElement()
        .satisfies(
            answer -> {
              assertThat(answer.setting()).isEqualTo("policy");
              assertThat(answer.id()).isEqualTo("p1");
              assertThat(answer.problem()).startsWith("no policy is called 'lucky'");
            });
    assertThat(offer(agent).problem()).as("it was answered, and nothing is wrong here").isNull();
    agent.tell(1, new SetPolicy("first-fit", Map.of(), "p2"));
    assertThat(offer(agent).answers()).containsExactly(done("policy", "p2"));
    List<Effect> same = agent.tell(1, new SetPolicy("first-fit", Map.of(), "p3"));
    assertThat(only(same, Effect.SayInventory.class)).as("though nothing changes").hasSize(1);
    assertThat(offer(agent).answers()).containsExactly(done("policy", "p3"));
    assertThat(agent.tell(1, new SetPolicy("first-fit", Map.of(), "p3")))
        .as("told again")
        .noneMatch(Effect.SayInventory.class::isInstance);
  }

  @Test
  void aDeviceListIsAnsweredOnceItWasLookedForAndNoEarlierOneIsTakenForIt() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);

    agent.tell(1, new SetDevices("1", "d1"));
    agent.tell(1, new SetDevices("7", "d2"));
    assertThat(offer(agent).answers()).as("nobody has looked yet").isNull();
    agent.to(new Input.ListUsed(Optional.of("1"), gpus("1")));
    assertThat(offer(agent).answers()).as("that was the list before").isNull();
    agent.to(new Input.ListRefused(Optional.of("7"), "no device '7'"));
    assertThat(offer(agent).answers()).containsExactly(refused("d2", "no device '7'"));

    agent.tell(1, new SetPolicy("packed", Map.of(), "p1"));
    agent.tell(1, new SetDevices("7", "d2"));
    assertThat(offer(agent).problem()).as("it is one still").isEqualTo("no device '7'");
    assertThat(offer(agent).answers())
        .containsExactly(done("policy", "p1"), refused("d2", "no device '7'"));

    assertThat(only(agent.tell(1, new SetDevices("7", "d3")), Effect.FindDevices.class))
        .as("asked for again, it may be there now")
        .hasSize(1);
    agent.to(new Input.ListUsed(Optional.of("7"), gpus("7")));
    assertThat(offer(agent).problem()).isNull();
    assertThat(offer(agent).answers()).contains(done("devices", "d3"));
    assertThat(agent.tell(1, new SetDevices("7", "d4")))
        .noneMatch(Effect.FindDevices.class::isInstance)
        .anyMatch(Effect.SayInventory.class::isInstance);
    assertThat(offer(agent).answers()).contains(done("devices", "d4"));
  }

  private static SettingAnswer done(String setting, String id) {
    return new SettingAnswer(setting, id, null);
  }

  private static SettingAnswer refused(String id, String problem) {
    return new SettingAnswer("devices", id, problem);
  }

  @Test
  void whatIsHeldStaysHeldWhenItIsNotOfferedOrCalledOtherwise() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    given(agent, "a", 1, null, false);
    agent.started("a", 1);

    agent.to(new Input.DevicesFound(renamed("0", "GPU-zero")));
    assertThat(outcome(agent, "b", 1, null, false))
        .as("the same GPU under another name")
        .isEqualTo(AttemptEvent.Outcome.RETURNED);
    agent.to(new Input.DevicesFound(gpus("1")));
    assertThat(sent(agent.exited("a", 1, 0))).extracting(AttemptEvent::outcome).isNotEmpty();
    agent.to(new Input.Cleaned(key("a", 1)));
    agent.to(new Input.DevicesFound(renamed("0", "GPU-zero")));

    assertThat(given(agent, "c", 1, null, false)).containsExactly("GPU-zero");
  }

  @Test
  void whatRunsKeepsItsDevicesWhenTheAgentIsRestartedWhileNvmlFails() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    given(agent, "a", 1, null, false);
    agent.started("a", 1);
    given(agent, "b", 1, null, false);

    List<Effect> effects =
        agent.restart(Inventory.withoutGpu("NVML fails: mismatch", 1), agent.now + 20_000);

    assertThat(only(effects, Effect.Kill.class))
        .as("what runs goes on; what had not begun would fail on this driver")
        .containsExactly(new Effect.Kill(key("b", 1), 0));
    agent.vanished("b", 1);
    agent.to(new Input.Cleaned(key("b", 1)));
    agent.ready(1);
    agent.to(new Input.DevicesFound(gpus("0")));
    assertThat(outcome(agent, "c", 1, null, false))
        .as("held under the id that the journal has")
        .isEqualTo(AttemptEvent.Outcome.RETURNED);
    agent.to(new Input.DevicesFound(gpus("0", "1")));
    assertThat(given(agent, "d", 1, null, false)).containsExactly("1");
  }

  @Test
  void whatRunsOnADeviceThatNvmlDoesNotShowAnyMoreIsEndedAtARestart() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    given(agent, "a", 1, null, false);
    agent.started("a", 1);

    assertThat(only(agent.restart(gpus("1"), agent.now + 20_000), Effect.Kill.class))
        .containsExactly(new Effect.Kill(key("a", 1), 0));
  }

  @Test
  void aJobOnADeviceThatFailsEndsWithADeviceFaultAndTheDeviceIsGivenToNobody() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    given(agent, "a", 1, null, false);
    given(agent, "b", 1, null, false);
    agent.started("a", 1);
    agent.started("b", 1);
    Condition xid = new Condition(Condition.State.UNHEALTHY, "Xid 79");

    List<Effect> effects = agent.to(new Input.Judged(Map.of("uuid-0", xid)));

    assertThat(only(effects, Effect.Kill.class)).containsExactly(new Effect.Kill(key("a", 1), 0));
    assertThat(only(effects, Effect.SayInventory.class)).hasSize(1);
    assertThat(offer(agent).devices().get(0).state()).isEqualTo("UNHEALTHY");
    assertThat(offer(agent).devices().get(0).reason()).isEqualTo("Xid 79");
    assertThat(offer(agent).devices().get(1).state()).isEqualTo("OK");
    AttemptEvent end = sent(agent.exited("a", 1, 137)).get(0);
    assertThat(end.category()).isEqualTo(FailureCategory.DEVICE_FAULT);
    assertThat(end.message()).isEqualTo("device 0 has failed: Xid 79");
    agent.to(new Input.Cleaned(key("a", 1)));
    assertThat(agent.state.reserved().gpus()).as("the dispatcher counts it out").isEqualTo(1);
    assertThat(outcome(agent, "c", 1, null, false)).isEqualTo(AttemptEvent.Outcome.RETURNED);
    assertThat(agent.to(new Input.Judged(Map.of("uuid-0", xid)))).isEmpty();

    agent.to(new Input.Judged(Map.of()));
    assertThat(agent.state.reserved().gpus()).isZero();
    assertThat(given(agent, "d", 1, null, false)).containsExactly("0");
  }

  @Test
  void aSuspectServesAndItsJobsFailureIsItsOwn() {
    DeciderHarness agent = new DeciderHarness(gpus("0")).ready(1);
    given(agent, "a", 1, null, false);
    agent.started("a", 1);
    agent.to(new Input.Judged(Map.of("uuid-0", new Condition(Condition.State.SUSPECT, "too hot"))));
    assertThat(offer(agent).devices().get(0).state()).isEqualTo("SUSPECT");
    assertThat(sent(agent.exited("a", 1, 1)).get(0).category()).isEqualTo(FailureCategory.APP);
    assertThat(offer(agent).devices().get(0).state()).isEqualTo("CLEANING");
    agent.to(new Input.Cleaned(key("a", 1)));
    assertThat(given(agent, "b", 1, null, false)).as("a suspect serves").containsExactly("0");
  }

  private static Inventory renamed(String id, String other) {
    var found = gpus(id);
    var device = found.devices().get(0);
    return new Inventory(
        List.of(
            new io.stoker.agent.device.Device(
                other,
                device.uuid(),
                device.name(),
                device.memoryTotal(),
                device.type(),
                device.computeCapability())),
        1,
        Optional.empty(),
        Optional.empty(),
        List.of());
  }

  private static HostResources offer(DeciderHarness agent) {
    return ResourceOffer.of(agent.state, Map.of(), 10, OptionalLong.empty(), new Now(agent.now, 0));
  }

  private static List<String> given(
      DeciderHarness agent, String job, int gpus, Long memory, boolean shared) {
    return sent(agent.tell(1, agent.gpuPlace(job, gpus, memory, shared))).get(0).devices();
  }

  private static AttemptEvent.Outcome outcome(
      DeciderHarness agent, String job, int gpus, Long memory, boolean shared) {
    return sent(agent.tell(1, agent.gpuPlace(job, gpus, memory, shared))).get(0).outcome();
  }
}
