package io.stoker.agent.device;

import static io.stoker.agent.nvml.FakeWorld.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.stoker.agent.device.Decision.Granted;
import io.stoker.agent.gpu.DeviceLoad;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.gpu.NvmlVersions;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import io.stoker.agent.nvml.OnFakeNvml;
import io.stoker.agent.policy.FirstFitPolicy;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The inventory of a host, read through the real binding. */
class InventoryReaderTest extends OnFakeNvml {
  private final String gpu0 = gpu(0);
  private final String gpu1 = gpu(1);

  InventoryReaderTest() {
    super(Variant.CURRENT, 16 * GIB, 8 * GIB);
  }

  @Test
  void withoutAListAllGpusAreOfferedUnderTheirUuids() {
    world.with("gpu0/compute", "9 0");

    Inventory inventory = read(Optional.empty());

    assertThat(inventory.devices())
        .containsExactly(
            new Device(gpu0, gpu0, "Fake GPU 0", 16 * GIB, DeviceType.GPU, Optional.of("9.0")),
            new Device(gpu1, gpu1, "Fake GPU 1", 8 * GIB, DeviceType.GPU, Optional.empty()));
    assertThat(inventory.cpuSlots()).isEqualTo(4);
    assertThat(inventory.hasGpus()).isTrue();
    assertThat(inventory.versions())
        .contains(new NvmlVersions("550.54.15", "12.550.54.15", Optional.of("12.4")));
  }

  @Test
  void aListGivesOrderAndIds() {
    Inventory inventory = read("1, " + gpu0);

    assertThat(inventory.devices()).extracting(Device::id).containsExactly("1", gpu0);
    assertThat(inventory.devices()).extracting(Device::uuid).containsExactly(gpu1, gpu0);
  }

  @Test
  void aDeviceUnderTwoIdsIsOfferedOnceUnderTheFirst() {
    assertThat(read(gpu0 + ",1,0").devices()).extracting(Device::id).containsExactly(gpu0, "1");
  }

  @Test
  void idsThatTheHostDoesNotHaveAreRefusedByName() {
    assertThatThrownBy(() -> read("0,7"))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "the device list names '7', which this host does not have; it has 0 (%s), 1 (%s)"
                .formatted(gpu0, gpu1));
    assertThatThrownBy(() -> read("GPU-ffffffff"))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("'GPU-ffffffff'");
    assertThatThrownBy(() -> read("MIG-ffffffff"))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("'MIG-ffffffff'");
  }

  @Test
  void aListOfNoDeviceMakesAHostWithoutGpu() {
    Inventory inventory = read(" , ");

    assertThat(inventory.devices()).isEmpty();
    assertThat(inventory.noGpu()).contains("The device list of this host names no device");
  }

  @Test
  void aGpuInMigModeIsOfferedInItsParts() {
    String first = world.addMig(0, 0, 4 * GIB);
    String second = world.addMig(0, 1, 2 * GIB);

    assertThat(read(Optional.empty()).devices())
        .extracting(Device::id, Device::type, Device::memoryTotal)
        .containsExactly(
            tuple(first, DeviceType.MIG, 4 * GIB),
            tuple(second, DeviceType.MIG, 2 * GIB),
            tuple(gpu1, DeviceType.GPU, 8 * GIB));
    assertThat(read("1," + second).devices()).extracting(Device::id).containsExactly("1", second);
    assertThatThrownBy(() -> read("0"))
        .isInstanceOf(DeviceException.class)
        .hasMessage(
            "the device list names '0', a GPU in MIG mode; name its MIG devices instead: %s, %s"
                .formatted(first, second));
  }

  @Test
  void aGpuInMigModeWithoutPartsIsAFault() {
    world.with("gpu0/mig_mode", "1 1");

    Inventory inventory = read(Optional.empty());

    assertThat(inventory.devices()).extracting(Device::id).containsExactly(gpu1);
    assertThat(inventory.faults())
        .containsExactly(new DeviceFault(gpu0, "it is in MIG mode and has no MIG device"));
  }

  @Test
  void aLostGpuIsAFaultAndHidesNoOther() {
    world.failing(0, "nvmlDeviceGetHandleByIndex_v2", 15);

    Inventory all = read(Optional.empty());
    Inventory listed = read("0,1");

    assertThat(all.devices()).extracting(Device::id).containsExactly(gpu1);
    assertThat(all.faults()).extracting(DeviceFault::device).containsExactly("GPU 0");
    assertThat(all.faults().getFirst().reason()).contains("code 15: GPU is lost");
    assertThat(listed.devices()).extracting(Device::id).containsExactly("1");
    assertThat(listed.faults()).extracting(DeviceFault::device).containsExactly("0");
  }

  @Test
  void aUuidThatMayBeThatOfALostGpuIsAFaultAndNotUnknown() {
    world.failing(0, "nvmlDeviceGetHandleByIndex_v2", 15);

    Inventory inventory = read(gpu0 + ",1");

    assertThat(inventory.devices()).extracting(Device::id).containsExactly("1");
    assertThat(inventory.faults())
        .containsExactly(
            new DeviceFault(gpu0, "it was not found, while not every GPU could be read"));
  }

  @Test
  void aHostWhoseGpusAreAllLostStillHasGpus() {
    world.failing("nvmlDeviceGetHandleByIndex_v2", 15);

    Inventory inventory = read(Optional.empty());

    assertThat(inventory.devices()).isEmpty();
    assertThat(inventory.faults()).hasSize(2);
    assertThat(inventory.hasGpus()).isTrue();
  }

  @Test
  void aCountThatFailsIsNoInventory() {
    world.failing("nvmlDeviceGetCount_v2", 999);

    assertThatThrownBy(() -> read(Optional.empty())).isInstanceOf(NvmlException.class);
  }

  @Test
  void aHostWithoutGpuKeepsItsReasonUnlessDevicesWereListed() {
    Inventory inventory = new InventoryReader(Optional.empty(), 4).withoutGpu("No driver");

    assertThat(inventory).isEqualTo(Inventory.withoutGpu("No driver", 4));
    InventoryReader listed = new InventoryReader(Optional.of(DeviceList.parse("0,1")), 4);
    assertThatThrownBy(() -> listed.withoutGpu("No driver"))
        .isInstanceOf(DeviceException.class)
        .hasMessage("the device list names 0, 1, and this host has no GPU: No driver");
  }

  @Test
  void nvLinksAndPlacesMakePairs() {
    world
        .with("gpu0/pci", "0:3b:00.0")
        .with("gpu1/pci", "0:af:00.0")
        .with("gpu0/topology/1", 50)
        .with("gpu1/topology/0", 50)
        .with("gpu0/nvlink/0", "0:af:00.0")
        .with("gpu0/nvlink/1", "0:af:00.0")
        .with("gpu0/nvlink/2", "0:c1:00.0")
        .with("gpu1/nvlink/0", "0:3b:00.0")
        .with("gpu1/nvlink/1", "0:3b:00.0")
        .with("gpu1/nvlink/2", "0:c2:00.0");

    Inventory inventory = read(Optional.empty());

    assertThat(inventory.links().scores())
        .as("two links between the two, one each to a switch, and the way from CPU to CPU")
        .isEqualTo(Map.of(gpu0, Map.of(gpu1, 310), gpu1, Map.of(gpu0, 310)));
    assertThat(inventory.present()).isEqualTo(Map.of("0", gpu0, gpu0, gpu0, "1", gpu1, gpu1, gpu1));
  }

  @Test
  void sharedMemoryIsFollowedAsItShows() {
    Inventory inventory = read("0");
    Map<Long, String> pids = Map.of(4711L, "job-a", 4712L, "job-a");
    DeviceLedger ledger = DeviceLedger.of(inventory).observe("0", reading(pids));
    Demand demand =
        new Demand.Gpu(1, OptionalLong.of(10 * GIB), true, Optional.empty(), true, Set.of());
    ledger = ((Granted) ledger.allocate("job-a", demand, new FirstFitPolicy(), 0)).ledger();
    assertThat(ledger.headroom("0")).hasValue(6 * GIB);

    world.withProcess(0, 4711, 3 * GIB).withProcess(0, 4712, 2 * GIB);
    ledger = ledger.observe("0", reading(pids));
    assertThat(ledger.headroom("0")).as("half of it shows").hasValue(6 * GIB);

    world.withProcess(0, 9999, GIB);
    ledger = ledger.observe("0", reading(pids));
    assertThat(ledger.headroom("0")).as("a stranger's process").hasValue(5 * GIB);

    world.withProcess(0, 4711, "unknown");
    ledger = ledger.observe("0", reading(pids));
    assertThat(ledger.headroom("0"))
        .as("memory that is not told counts as still to come")
        .hasValue(5 * GIB);
  }

  private DeviceReading reading(Map<Long, String> holderByPid) {
    DeviceLoad load = nvml.load(gpu0);
    return MemoryReader.of(load.processes().orElseThrow(), load.memory(), holderByPid);
  }

  private Inventory read(String list) {
    return read(Optional.of(DeviceList.parse(list)));
  }

  private Inventory read(Optional<DeviceList> list) {
    return new InventoryReader(list, 4).read(nvml);
  }
}
