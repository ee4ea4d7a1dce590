package io.stoker.agent.hardware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Input;
import io.stoker.agent.device.Condition;
import io.stoker.agent.device.Condition.State;
import io.stoker.agent.device.Device;
import io.stoker.agent.device.HealthBook;
import io.stoker.agent.device.HealthRecord;
import io.stoker.agent.device.Inventory;
import io.stoker.agent.device.XidPolicy;
import io.stoker.agent.nvml.FakeNvmlCompiler;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import io.stoker.agent.nvml.FakeWorld;
import io.stoker.agent.nvml.Nvml;
import io.stoker.agent.nvml.NvmlStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The watches over the devices, through the real binding. */
class DevicesOnTheFakeTest {
  private static final Path LIBRARY = FakeNvmlCompiler.library(Variant.CURRENT);
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final long GIB = FakeWorld.GIB;

  /** Of a device, which does not answer while it is there. */
  private static final String HANGS = "delays/nvmlDeviceGetTotalEccErrors";

  @TempDir Path dir;
  @TempDir Path data;

  private final HealthBook book =
      new HealthBook(new HealthRecord.Rules(XidPolicy.DEFAULT, 1_500, 3, 3_600_000, 3));
  private volatile Map<String, Long> roots = Map.of();
  private final List<Input> inputs = new CopyOnWriteArrayList<>();
  private FakeWorld world;
  private String gpu0;
  private String gpu1;
  private HostDevices devices;
  private DeviceWatch watch;
  private HealthWatch health;

  @BeforeEach
  void open() {
    world = FakeWorld.in(dir, LIBRARY);
    gpu0 = world.addGpu(0, 16 * GIB);
    gpu1 = world.addGpu(1, 16 * GIB);
    world.with("gpu0/xids", "").with("gpu1/xids", "");
  }

  @AfterEach
  void close() throws IOException {
    Files.deleteIfExists(dir.resolve("gpu0").resolve(HANGS));
    if (health != null) {
      health.close();
    }
    if (watch != null) {
      watch.close();
    }
    devices.close();
  }

  private void start(Optional<String> list) throws IOException {
    start(list, Optional.empty());
  }

  private void start(Optional<String> list, Optional<String> mask) throws IOException {
    devices = HostDevices.open(LIBRARY.toString(), list, mask, 1, new ToldDevices(data));
    watch = new DeviceWatch(devices, book, Duration.ofMillis(600));
    watch.start("an-owner", () -> roots, inputs::add);
  }

  /** No device is taken for one that hangs only since the machine is busy. */
  private void startHealth() {
    startHealth(Duration.ofSeconds(30));
  }

  private void startHealth(Duration atMost) {
    health = new HealthWatch(devices, book, Duration.ofMillis(200), atMost, inputs::add);
  }

  @Test
  void anXidPutsItsDeviceOutAndItServesAgainAfterAWhile() throws IOException {
    start(Optional.empty());
    startHealth();
    // An Xid of before the watch is no event; whether it has begun shows by one that is.
    Condition out =
        await()
            .atMost(SOON)
            .until(
                () -> {
                  world.with("gpu0/xids", "13\n79");
                  world.with("gpu0/xids", "13\n79\n79");
                  return condition(gpu0);
                },
                now -> now.state() != State.OK);

    assertThat(out.reason()).contains("Xid 79");
    assertThat(condition(gpu1)).isEqualTo(Condition.OK);
  }

  @Test
  void aLostGpuIsOutUntilItIsBack() throws IOException {
    start(Optional.empty());
    startHealth();
    world.failing(1, "nvmlDeviceGetTotalEccErrors", 15);

    await().atMost(SOON).until(() -> condition(gpu1).state() == State.UNHEALTHY);
    assertThat(condition(gpu1).reason()).contains("code 15");
    assertThat(condition(gpu0)).isEqualTo(Condition.OK);
    world.without("gpu1/errors/nvmlDeviceGetTotalEccErrors");
    await().atMost(SOON).until(() -> condition(gpu1).equals(Condition.OK));
  }

  @Test
  void aDeviceThatHangsHoldsUpNobodyElse() throws IOException {
    start(Optional.empty());
    startHealth(Duration.ofMillis(400));
    world.with("gpu0/" + HANGS, 3_600_000); // until that is taken back

    await().atMost(SOON).until(() -> condition(gpu0).state() == State.UNHEALTHY);
    assertThat(condition(gpu0).reason()).isEqualTo("it has not answered within 400 ms");
    world.with("gpu1/retired_pages", "1 1");
    await().atMost(SOON).until(() -> condition(gpu1).state() == State.SUSPECT);
    world.without("gpu0/" + HANGS);
    await().atMost(SOON).until(() -> condition(gpu0).equals(Condition.OK));
  }

  @Test
  void anXidOfAGpuIsThatOfItsMigDevices() throws IOException {
    String part = world.addMig(1, 0, 4 * GIB);
    start(Optional.of("0," + part));
    startHealth();

    assertThat(devices.byGpu()).isEqualTo(Map.of(gpu0, List.of(gpu0), gpu1, List.of(part)));
    await()
        .atMost(SOON)
        .until(
            () -> {
              world.with("gpu1/xids", "48");
              world.with("gpu1/xids", "48\n48");
              return condition(part).state() != State.OK;
            });
    assertThat(condition(gpu0)).isEqualTo(Condition.OK);
  }

  @Test
  void aDeviceIsCleanOnlyWhenItsMemoryIsFree() throws IOException {
    start(Optional.of("0,1"));
    await().atMost(SOON).until(() -> inputs.stream().anyMatch(Input.Observed.class::isInstance));
    world.with("gpu0/memory_used", 3 * GIB);
    AtomicBoolean clean = new AtomicBoolean();
    AtomicBoolean other = new AtomicBoolean();
    watch.clean(new AttemptKey("a", 1), List.of("0"), () -> clean.set(true));
    watch.clean(new AttemptKey("b", 1), List.of("1"), () -> other.set(true));

    await().atMost(SOON).untilTrue(other);
    await().atMost(SOON).until(() -> condition(gpu0).state() == State.QUARANTINED);
    assertThat(condition(gpu0).reason()).isEqualTo("memory of attempt a-1 is not given back");
    assertThat(clean).isFalse();
    world.with("gpu0/memory_used", 0);
    await().atMost(SOON).untilTrue(clean);
    assertThat(condition(gpu0)).isEqualTo(Condition.OK);
  }

  @Test
  void whatARunTakesIsSampled() throws IOException {
    world.with("gpu0/energy_mj", 5_000).with("gpu0/utilization", "80 10");
    long self = ProcessHandle.current().pid();
    world.withProcess(0, self, 3 * GIB);
    start(Optional.of("0"));
    roots = Map.of("a-1", self);

    await().atMost(SOON).until(() -> inputs.stream().anyMatch(Input.Sampled.class::isInstance));

    Input.Sampled sampled =
        (Input.Sampled)
            inputs.stream().filter(Input.Sampled.class::isInstance).findFirst().orElseThrow();
    assertThat(sampled.runs().get("a-1").memory()).isGreaterThan(1L << 20);
    assertThat(sampled.runs().get("a-1").cpuMs()).isPositive();
    assertThat(sampled.devices().get("0"))
        .isEqualTo(
            new Input.DeviceSample(
                OptionalInt.of(80),
                OptionalLong.of(5_000),
                OptionalLong.empty(),
                Map.of("a-1", 3 * GIB)));
  }

  @Test
  void anotherListIsOfferedAndKeptForTheNextStart() throws IOException {
    start(Optional.empty());
    watch.find(Optional.of("1"), inputs::add);
    await().atMost(SOON).until(() -> inputs.stream().anyMatch(Input.ListUsed.class::isInstance));
    assertThat(ids(found())).containsExactly("1");
    watch.find(Optional.of("7"), inputs::add);
    await().atMost(SOON).until(() -> inputs.stream().anyMatch(Input.ListRefused.class::isInstance));
    assertThat(ids(devices.inventory())).containsExactly("1");
    watch.close();
    devices.close();

    start(Optional.empty());

    assertThat(ids(devices.inventory())).containsExactly("1");
    assertThat(devices.toldList()).contains("1");
    assertThat(devices.inventory().present()).containsKeys("0", "1");
  }

  @Test
  void whatTheAgentItselfWasGivenIsAllThatItOffersUnlessItIsToldOtherwise() throws IOException {
    start(Optional.empty(), Optional.of("1"));
    assertThat(ids(devices.inventory())).containsExactly("1");
    assertThat(ids(devices.offer(Optional.of("0")))).containsExactly("0");
    assertThat(ids(devices.offer(Optional.empty()))).containsExactly("1");
    watch.close();
    devices.close();

    start(Optional.of("0"), Optional.of("1"));

    assertThat(ids(devices.inventory())).containsExactly("0");
  }

  @Test
  void aMaskOfNoneOrOfDevicesThatAreNotHereOffersNone() throws IOException {
    for (String mask : List.of("", "7")) {
      start(Optional.empty(), Optional.of(mask));
      assertThat(ids(devices.inventory())).isEmpty();
      assertThat(devices.inventory().noGpu()).isPresent();
      watch.close();
      devices.close();
    }
    start(Optional.empty());
  }

  @Test
  void whereNoDeviceIsOfferedOrHeldTheDriverIsReleasedUntilOneIsAskedFor() throws IOException {
    start(Optional.empty());
    startHealth();
    AtomicBoolean free = new AtomicBoolean();
    List<Boolean> asked = new CopyOnWriteArrayList<>();
    watch.releaseOnce(
        () -> {
          asked.add(free.get());
          return free.get();
        },
        inputs::add);
    watch.find(Optional.of(""), inputs::add);
    await().atMost(SOON).until(() -> asked.size() > 1);
    assertThat(devices.nvml()).as("somebody holds a device").isPresent();

    free.set(true);
    await().atMost(SOON).until(() -> devices.nvml().isEmpty());
    await().atMost(SOON).until(() -> found().noGpu().orElse("").endsWith("the driver is released"));
    assertThat(devices.lookAgain()).isFalse();
    assertThat(devices.nvml()).as("left alone").isEmpty();
    assertThat(devices.uuid("1")).as("what it is called is known").isEqualTo(gpu1);
    // Nobody else keeps it open: it could not be opened here otherwise.
    ((NvmlStart.Ready) Nvml.open(LIBRARY.toString())).api().close();

    watch.find(Optional.of("1"), inputs::add);
    await().atMost(SOON).until(() -> ids(found()).equals(List.of("1")));
    world.with("gpu1/retired_pages", "1 1");
    await().atMost(SOON).until(() -> condition(gpu1).state() == State.SUSPECT);
  }

  @Test
  void aGpuThatIsAddedWhileTheAgentRunsIsFound() throws IOException {
    start(Optional.empty());
    String gpu2 = world.addGpu(2, GIB);

    assertThat(devices.lookAgain()).isTrue();
    assertThat(ids(devices.inventory())).containsExactly(gpu0, gpu1, gpu2);
    assertThat(devices.lookAgain()).isFalse();
  }

  @Test
  void whatAnNvmlHidesThatFailsAtTheStartIsFoundOnceItWorks() throws IOException {
    world.failing("nvmlInit_v2", 18);
    devices =
        HostDevices.open(
            LIBRARY.toString(), Optional.empty(), Optional.empty(), 1, new ToldDevices(data));
    assertThat(devices.inventory().noGpu().orElse("")).startsWith("NVML fails: ").contains("18");
    assertThat(devices.lookAgain()).isFalse();
    world.without("errors/nvmlInit_v2");

    assertThat(devices.lookAgain()).isTrue();
    assertThat(ids(devices.inventory())).containsExactly(gpu0, gpu1);
  }

  private Condition condition(String uuid) {
    return book.conditions(List.of(uuid), System.nanoTime() / 1_000_000)
        .getOrDefault(uuid, Condition.OK);
  }

  private Inventory found() {
    return inputs.stream()
        .flatMap(
            input ->
                switch (input) {
                  case Input.DevicesFound in -> Stream.of(in.inventory());
                  case Input.ListUsed in -> Stream.of(in.inventory());
                  default -> Stream.<Inventory>empty();
                })
        .reduce((first, last) -> last)
        .orElseThrow();
  }

  private static List<String> ids(Inventory inventory) {
    return inventory.devices().stream().map(Device::id).toList();
  }
}
