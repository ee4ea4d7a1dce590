package io.stoker.agent.attempt;

import static io.stoker.agent.attempt.DeciderHarness.GIB;
import static io.stoker.agent.attempt.DeciderHarness.gpus;
import static io.stoker.agent.attempt.DeciderHarness.sent;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.Input.DeviceSample;
import io.stoker.agent.attempt.Input.RunSample;
import io.stoker.common.message.AttemptEvent.Usage;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What an attempt is said to have taken, from samples a second apart. */
class UsageTest {
  private final Map<String, RunSample> runs = new HashMap<>();
  private final Map<String, DeviceSample> devices = new HashMap<>();

  @Test
  void anExclusiveJobHasAllThatItsDevicesTook() {
    DeciderHarness agent = new DeciderHarness(gpus("0", "1")).ready(1);
    agent.tell(1, agent.gpuPlace("a", 2, null, false));
    sample(agent, device("0", 0, 1_000L, 0), device("1", 0, 0L, 0));
    agent.started("a", 1);

    runs.put("a-1", new RunSample(3 * GIB, 700));
    sample(agent, device("0", 80, 1_500L, 5), device("1", 20, 100L, 1));
    runs.put("a-1", new RunSample(2 * GIB, 1_900));
    sample(agent, device("0", 90, 2_500L, 2), device("1", 10, 200L, 3));

    assertThat(ended(agent, "a"))
        .isEqualTo(new Usage(2_000L, 1_900L, 3 * GIB, 6 * GIB, 50, 4_000L, 1_700L, 1_000L));
  }

  @Test
  void whatTheKernelCountedIsTheLeastThatAJobTook() {
    DeciderHarness agent = new DeciderHarness(gpus("0")).ready(1);
    agent.tell(1, agent.gpuPlace("a", 1, null, false));
    agent.started("a", 1);
    AttemptKey key = new AttemptKey("a", 1);
    RunEnd end = RunEnd.exit(0).took(Optional.of(new RunUsage(340, OptionalLong.of(2 * GIB))));

    Usage usage = sent(agent.to(new Input.Exited(key, end))).getFirst().usage();

    assertThat(usage.cpuMs()).isEqualTo(340);
    assertThat(usage.peakMemory()).isEqualTo(2 * GIB);
  }

  @Test
  void aSharedJobHasItsPart() {
    DeciderHarness agent = new DeciderHarness(gpus("0")).ready(1);
    agent.free("0");
    agent.tell(1, agent.gpuPlace("a", 1, 4 * GIB, true));
    sample(agent, device("0", 0, 0L, 0));
    agent.started("a", 1);
    sample(agent, device("0", 100, 4_000L, 1));

    Usage usage = ended(agent, "a");

    assertThat(usage.gpuMs()).as("a quarter of a second").isEqualTo(250);
    assertThat(usage.energyMj()).isEqualTo(1_000);
  }

  @Test
  void aCounterThatBeginsAgainOrIsNotThereGivesWayToThePower() {
    DeciderHarness agent = new DeciderHarness(gpus("0")).ready(1);
    agent.tell(1, agent.gpuPlace("a", 1, null, false));
    sample(agent, device("0", 0, 9_000L, 0));
    agent.started("a", 1);

    sample(agent, device("0", 0, 10L, 0));
    devices.clear();
    devices.put(
        "0",
        new DeviceSample(
            OptionalInt.empty(), OptionalLong.empty(), OptionalLong.of(60_000), Map.of()));
    sample(agent);

    assertThat(ended(agent, "a").energyMj()).as("1 s of 100 W, 1 s of 60 W").isEqualTo(160_000);
  }

  @Test
  void whatWasNotSeenIsNotKnown() {
    DeciderHarness agent = new DeciderHarness(2).ready(1);
    agent.tell(1, agent.place("a", 1));
    agent.now += 20;
    agent.started("a", 1);
    agent.now += 300;

    assertThat(ended(agent, "a"))
        .isEqualTo(new Usage(300L, null, null, null, null, null, null, 20L));
  }

  @Test
  void howLongItWaitedOnItsHostIsKnownAfterARestartToo() {
    DeciderHarness agent = new DeciderHarness(2).ready(1);
    agent.tell(1, agent.place("a", 1), agent.place("b", 1));
    agent.now += 40;
    agent.started("a", 1);
    agent.now += 60;
    agent.started("b", 1);
    agent.now += 500;

    agent.restart(1, agent.now);

    assertThat(ended(agent, "a").waitedMs()).isEqualTo(40);
    assertThat(ended(agent, "b").waitedMs()).isEqualTo(100);
  }

  @SafeVarargs
  private void sample(DeciderHarness agent, Map.Entry<String, DeviceSample>... measured) {
    for (Map.Entry<String, DeviceSample> one : measured) {
      devices.put(one.getKey(), one.getValue());
    }
    agent.now += 1_000;
    agent.to(new Input.Sampled(Map.copyOf(runs), Map.copyOf(devices)));
  }

  private static Map.Entry<String, DeviceSample> device(
      String id, int percent, long energyMj, long usedGib) {
    return Map.entry(
        id,
        new DeviceSample(
            OptionalInt.of(percent),
            OptionalLong.of(energyMj),
            OptionalLong.of(100_000),
            usedGib == 0 ? Map.of() : Map.of("a-1", usedGib * GIB)));
  }

  private static Usage ended(DeciderHarness agent, String job) {
    return sent(agent.exited(job, 1, 0)).get(0).usage();
  }
}
