package io.stoker.agent.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.gate.GatePass.Gpu;
import io.stoker.agent.gate.GatePass.Grant;
import io.stoker.agent.gate.GatePass.Need;
import io.stoker.agent.gate.GatePass.Outcome;
import io.stoker.agent.gate.GatePass.Step;
import io.stoker.agent.gate.GatePass.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GatePassTest {
  private static final long GB = 1_000_000_000;
  private static final HostLoad IDLE = new HostLoad(10, 100 * GB, 90 * GB);

  private static Waiter train(String name, int priority, long arrival, long bytes) {
    return waiter(name, Step.TRAIN, priority, arrival, 0, need(bytes));
  }

  private static Waiter alone(String name, long arrival, Set<String> avoid) {
    Need need = new Need(true, GB, Optional.empty(), true, avoid);
    return waiter(name, Step.TRAIN, 0, arrival, 0, need);
  }

  private static Waiter start(String name, long arrival) {
    return waiter(name, Step.START, 0, arrival, 0, need(0));
  }

  private static Waiter load(String name, long arrival) {
    return waiter(name, Step.LOAD, 0, arrival, GB, need(0));
  }

  /** Of any device, beside others. */
  private static Need need(long memory) {
    return new Need(true, memory, Optional.empty(), false, Set.of());
  }

  private static Waiter waiter(
      String name, Step step, int priority, long arrival, long memory, Need gpu) {
    return new Waiter(name, step, priority, arrival, memory, gpu, List.of());
  }

  private static Gpu gpu(String id, long freeGb) {
    return new Gpu(id, 16 * GB, Optional.of(freeGb * GB), 0, false);
  }

  private static Outcome decide(HostLoad load, List<Gpu> gpus, Waiter... pending) {
    return new GatePass(new Gates(GateRules.DEFAULT), load, gpus, 0, 0, 0).decide(List.of(pending));
  }

  @Test
  void whatIsGrantedIsReservedBeforeItShows() {
    Outcome outcome =
        decide(
            IDLE,
            List.of(gpu("0", 16), gpu("1", 16)),
            train("a", 0, 1, 8 * GB),
            train("b", 0, 2, 8 * GB),
            train("c", 0, 3, 8 * GB));

    assertThat(outcome.grants())
        .containsExactly(
            new Grant("a", Step.TRAIN, Optional.of("0")),
            new Grant("b", Step.TRAIN, Optional.of("1")));
    assertThat(outcome.refusals().get("c").gate()).isEqualTo(Gate.GPU_MEMORY);
  }

  @Test
  void aDeviceThatFailedItIsLeftToOthers() {
    Waiter failed = alone("a", 1, Set.of("0"));
    Waiter third = alone("c", 3, Set.of("0"));

    Outcome outcome =
        decide(IDLE, List.of(gpu("0", 16), gpu("1", 16)), failed, alone("b", 2, Set.of()), third);

    assertThat(outcome.grants())
        .containsExactly(
            new Grant("a", Step.TRAIN, Optional.of("1")),
            new Grant("b", Step.TRAIN, Optional.of("0")));
    assertThat(outcome.refusals().get("c").sentence()).contains("device 0 has failed it before");
  }

  @Test
  void priorityGoesBeforeArrival() {
    Outcome outcome =
        decide(IDLE, List.of(gpu("0", 12)), train("a", 0, 1, 8 * GB), train("b", 1, 2, 8 * GB));

    assertThat(outcome.grants()).containsExactly(new Grant("b", Step.TRAIN, Optional.of("0")));
  }

  @Test
  void aPinnedOneNeverFallsBack() {
    Need one = new Need(true, 8 * GB, Optional.of("1"), false, Set.of());
    Waiter pinned = waiter("a", Step.TRAIN, 0, 1, 0, one);

    assertThat(decide(IDLE, List.of(gpu("0", 16), gpu("1", 8)), pinned).grants()).isEmpty();
    assertThat(decide(IDLE, List.of(gpu("0", 16), gpu("1", 16)), pinned).grants())
        .containsExactly(new Grant("a", Step.TRAIN, Optional.of("1")));
    assertThat(decide(IDLE, List.of(gpu("0", 16)), pinned).refusals().get("a"))
        .isEqualTo(new Refusal(Gate.DEVICE, "no device 1 is offered here"));
  }

  @Test
  void whoHasItAloneWaitsUntilNobodyHasIt() {
    Waiter alone = alone("a", 1, Set.of());
    Gpu shared = new Gpu("0", 16 * GB, Optional.of(15 * GB), 1, false);

    assertThat(decide(IDLE, List.of(shared), alone).grants()).isEmpty();
    assertThat(decide(IDLE, List.of(gpu("0", 16)), alone, train("b", 0, 2, GB)).grants())
        .containsExactly(new Grant("a", Step.TRAIN, Optional.of("0")));
  }

  /** Of 16 GB the limits leave 12.8: it would wait for ever. */
  @Test
  void whatNeedsMoreThanTheLimitsEverLeaveTrainsWhereNobodyElseDoes() {
    Waiter large = train("a", 0, 1, 13 * GB);
    Gpu held = new Gpu("0", 16 * GB, Optional.of(15 * GB), 1, false);

    assertThat(decide(IDLE, List.of(held), large).refusals().get("a").gate())
        .isEqualTo(Gate.GPU_MEMORY);
    assertThat(decide(IDLE, List.of(gpu("0", 12)), large).refusals().get("a").gate())
        .as("somebody else's memory is there")
        .isEqualTo(Gate.GPU_MEMORY);
    Outcome outcome = decide(IDLE, List.of(held, gpu("1", 15)), large, train("b", 0, 2, GB));
    assertThat(outcome.grants())
        .containsExactly(
            new Grant("a", Step.TRAIN, Optional.of("1")),
            new Grant("b", Step.TRAIN, Optional.of("0")));
  }

  @Test
  void whatNeedsMoreThanTheLimitsEverLeaveLoadsWhereNobodyElseDoes() {
    HostLoad load = new HostLoad(0, 100 * GB, 95 * GB);
    Waiter large = waiter("a", Step.LOAD, 0, 1, 90 * GB, need(GB));
    Waiter next = waiter("b", Step.LOAD, 0, 2, 90 * GB, need(GB));
    Gates gates = new Gates(GateRules.DEFAULT);

    assertThat(
            new GatePass(gates, load, List.of(), 0, 1, 1)
                .decide(List.of(large))
                .refusals()
                .keySet())
        .containsExactly("a");
    Outcome outcome = new GatePass(gates, load, List.of(), 0, 2, 0).decide(List.of(large, next));
    assertThat(outcome.grants()).containsExactly(new Grant("a", Step.LOAD, Optional.empty()));
    assertThat(outcome.refusals().keySet()).containsExactly("b");
  }

  @Test
  void anUnmeasuredDeviceIsGivenToNobody() {
    Gpu unknown = new Gpu("0", 16 * GB, Optional.empty(), 0, false);
    assertThat(decide(IDLE, List.of(unknown), train("a", 0, 1, GB)).refusals().get("a").sentence())
        .isEqualTo("device 0 is not measured yet");
  }

  @Test
  void startsStopAtTheLimitsAndWhatHasBegunGoesOn() {
    List<Waiter> pending = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      pending.add(start("s" + i, i));
    }
    pending.add(load("l", 20));
    Outcome outcome =
        new GatePass(new Gates(GateRules.DEFAULT), IDLE, List.of(), 0, 0, 0).decide(pending);

    assertThat(outcome.grants()).hasSize(11);
    assertThat(outcome.refusals()).containsOnlyKeys("s10", "s11");
    assertThat(outcome.refusals().get("s10").gate()).isEqualTo(Gate.MAX_WAITING);
    assertThat(
            new GatePass(new Gates(GateRules.DEFAULT), IDLE, List.of(), 0, 10, 10)
                .decide(pending)
                .grants())
        .as("theirs stopped here for good")
        .containsExactly(new Grant("l", Step.LOAD, Optional.empty()));
  }

  @Test
  void aBusyCpuHoldsEveryStepBack() {
    HostLoad busy = new HostLoad(80, 100 * GB, 90 * GB);
    Outcome outcome =
        decide(busy, List.of(gpu("0", 16)), start("s", 1), load("l", 2), train("t", 0, 3, GB));

    assertThat(outcome.grants()).isEmpty();
    assertThat(outcome.refusals().values()).extracting(Refusal::gate).containsOnly(Gate.CPU);
  }

  /** Hours of arrivals, loads, trainings and ends on virtual time, against a plain oracle. */
  @Test
  void agreesWithAPlainOracle() {
    for (long seed = 0; seed < 3_000; seed++) {
      new GateHour(new Random(seed), seed).run();
    }
  }
}
