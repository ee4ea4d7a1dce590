package io.stoker.agent.device;

import static io.stoker.agent.device.Demand.cpus;
import static io.stoker.agent.device.Demands.avoiding;
import static io.stoker.agent.device.Demands.gpus;
import static io.stoker.agent.device.Demands.on;
import static io.stoker.agent.device.Demands.shared;
import static io.stoker.agent.device.Hosts.GIB;
import static io.stoker.agent.device.Hosts.allocation;
import static io.stoker.agent.device.Hosts.decide;
import static io.stoker.agent.device.Hosts.device;
import static io.stoker.agent.device.Hosts.granted;
import static io.stoker.agent.device.Hosts.host;
import static io.stoker.agent.device.Hosts.inventory;
import static io.stoker.agent.device.Hosts.told;
import static io.stoker.agent.device.Hosts.without;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.device.Decision.Refusal;
import io.stoker.agent.device.Decision.Refused;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The rules of giving devices out and of taking them back, each as a short story. */
class DeviceLedgerTest {

  @Test
  void aRefusalSaysWhatWasAskedAndWhatThereIs() {
    DeviceLedger ledger = granted(DeviceLedger.of(host(1, "0", "1")), "job-a", gpus(1));

    assertThat(decide(ledger, "job-b", gpus(2)))
        .isEqualTo(
            new Refused(
                Refusal.NOT_NOW,
                "2 GPUs asked for, and 1 of 2 can serve now:"
                    + " 0 held by job-a, memory not yet read, 1 free, memory not yet read"));
    assertThat(decide(ledger, "job-b", gpus(3)))
        .isEqualTo(
            new Refused(
                Refusal.NEVER_FITS,
                "3 GPUs asked for, and 2 of this host's 2 devices could serve"));
    assertThat(decide(ledger, "job-b", cpus(2)))
        .isEqualTo(new Refused(Refusal.NEVER_FITS, "2 CPU slots asked for, and this host has 1"));
    assertThat(decide(ledger, "job-b", on("9")))
        .isEqualTo(
            new Refused(
                Refusal.NEVER_FITS,
                "device '9' asked for, which this host does not offer; it has 0, 1"));
  }

  @Test
  void aDeviceThatIsAvoidedServesWhileTheOtherIsOutOfUse() {
    DeviceLedger ledger = without(DeviceLedger.of(host(0, "0", "1")), "1");

    assertThat(allocation(decide(ledger, "a", avoiding(1, "0"))).devices()).containsExactly("0");
  }

  @Test
  void theVisibleDevicesAreTheIdsAsGivenAndEmptyOnCpu() {
    DeviceLedger gpuHost = DeviceLedger.of(host(1, "GPU-ab", "1", "0"));

    assertThat(allocation(decide(gpuHost, "a", gpus(2))).cudaVisibleDevices())
        .isEqualTo("GPU-ab,1");
    assertThat(allocation(decide(gpuHost, "a", cpus(1))).cudaVisibleDevices()).isEmpty();
    assertThat(allocation(decide(DeviceLedger.of(host(1)), "a", gpus(1))).cudaVisibleDevices())
        .isEmpty();
  }

  @Test
  void whatIsReleasedCanBeGivenAgain() {
    DeviceLedger idle = DeviceLedger.of(host(1, "0"));
    DeviceLedger busy = granted(granted(idle, "gpu-job", gpus(1)), "cpu-job", cpus(1));
    assertThat(busy.freeGpus()).isZero();
    assertThat(busy.freeCpuSlots()).isZero();

    DeviceLedger again = busy.release("gpu-job").release("cpu-job");

    assertThat(again.freeGpus()).isOne();
    assertThat(again.freeCpuSlots()).isOne();
    assertThat(again.allocations()).isEmpty();
    assertThat(granted(again, "next", gpus(1)).holdersOf("0")).hasSize(1);
    assertThat(busy.freeGpus()).as("the former books are as they were").isZero();
  }

  @Test
  void releasingWhatIsNotHeldNamesTheHolder() {
    DeviceLedger ledger = granted(DeviceLedger.of(host(0, "0", "1")), "job-a", gpus(1));

    assertThatThrownBy(() -> ledger.release("job-b"))
        .isInstanceOf(DeviceException.class)
        .hasMessage("nothing is allocated to job-b, so nothing can be released");
    assertThatThrownBy(() -> ledger.release("job-a").release("job-a"))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("job-a");
  }

  @Test
  void aHolderIsGivenOnce() {
    DeviceLedger ledger = granted(DeviceLedger.of(host(0, "0", "1")), "job-a", gpus(1));

    assertThatThrownBy(() -> decide(ledger, "job-a", gpus(1)))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("job-a already holds");
  }

  @Test
  void aHostWhoseGpusAreAllBrokenDoesNotFallBack() {
    Inventory broken =
        new Inventory(
            List.of(),
            4,
            Optional.empty(),
            Optional.empty(),
            List.of(new DeviceFault("GPU 0", "GPU is lost")));

    Decision decision = decide(DeviceLedger.of(broken), "job", gpus(1));

    assertThat(decision)
        .isEqualTo(
            new Refused(
                Refusal.NOT_NOW,
                "1 GPU asked for, and 0 of this host's 0 devices could serve;"
                    + " GPU 0 is out of use: GPU is lost"));
    assertThat(DeviceLedger.of(broken).freeGpus()).isZero();
  }

  @Test
  void oneMigDeviceAProcess() {
    Inventory inventory =
        inventory(
            0,
            device("MIG-aa", DeviceType.MIG),
            device("MIG-bb", DeviceType.MIG),
            device("0", DeviceType.GPU));

    assertThat(told(decide(DeviceLedger.of(inventory), "job", gpus(1)))).isEqualTo("MIG-aa");
    assertThat(told(decide(DeviceLedger.of(inventory), "job", gpus(2)))).isEqualTo("NEVER_FITS");
  }

  @Test
  void aQuarantinedDeviceIsGivenToNobodyUntilItIsReadmitted() {
    DeviceLedger ledger = without(DeviceLedger.of(host(0, "0", "1")), "0");

    assertThat(told(decide(ledger, "a", gpus(1)))).isEqualTo("1");
    assertThat(((Refused) decide(ledger, "a", gpus(2))).sentence())
        .contains("0 out of use (Xid 79)");
    assertThat(told(decide(ledger.judged(Map.of()), "a", gpus(1)))).isEqualTo("0");
  }

  @Test
  void aQuarantinedDeviceStaysWithItsHolder() {
    DeviceLedger ledger = without(granted(DeviceLedger.of(host(0, "0")), "a", gpus(1)), "0");

    assertThat(ledger.holdersOf("0")).hasSize(1);
    assertThat(ledger.freeGpus()).isZero();
    assertThat(ledger.release("a").freeGpus()).as("still out of use").isZero();
  }

  @Test
  void whatIsFoundHeldAfterARestartIsEnteredAgain() {
    Allocation shared = new Allocation("a", List.of("1"), false, OptionalLong.of(6 * GIB), 0);
    Allocation slots = new Allocation("b", List.of(), false, OptionalLong.empty(), 2);

    DeviceLedger ledger = DeviceLedger.of(host(2, "0", "1")).adopt(shared).adopt(slots);

    assertThat(ledger.allocations()).containsExactly(shared, slots);
    assertThat(ledger.freeCpuSlots()).isZero();
    assertThat(ledger.observe("1", reading(10 * GIB, Map.of())).headroom("1")).hasValue(4 * GIB);
  }

  @Test
  void whatCannotHaveBeenHeldIsRefusedByName() {
    DeviceLedger ledger = granted(DeviceLedger.of(host(1, "0", "1")), "a", gpus(1));

    assertThatThrownBy(
            () -> ledger.adopt(new Allocation("b", List.of("0"), true, OptionalLong.empty(), 0)))
        .hasMessage("device '0' is held by a and cannot also be held by b");
    assertThatThrownBy(
            () -> ledger.adopt(new Allocation("b", List.of("7"), true, OptionalLong.empty(), 0)))
        .hasMessageContaining("no device '7'");
    assertThatThrownBy(
            () -> ledger.adopt(new Allocation("b", List.of(), false, OptionalLong.empty(), 2)))
        .hasMessage("b holds 2 CPU slots, and 1 of 1 are free");
  }

  @Test
  void whatMayBeThereUnseenIsHeldUntilItIsSeen() {
    Allocation found = new Allocation("a", List.of("0"), true, OptionalLong.empty(), 0);
    Inventory unread =
        new Inventory(
            host(1, "1").devices(),
            1,
            Optional.empty(),
            Optional.empty(),
            List.of(new DeviceFault("0", "it does not answer")));

    for (Inventory seen : List.of(host(1), unread)) {
      DeviceLedger later = DeviceLedger.of(seen).adopt(found).offering(host(1, "0", "1"));
      assertThat(later.holdersOf("0")).containsExactly(found);
      assertThat(later.freeGpus()).isOne();
    }
    assertThatThrownBy(
            () ->
                DeviceLedger.of(host(1))
                    .adopt(found)
                    .adopt(new Allocation("b", List.of("0"), true, OptionalLong.empty(), 0)))
        .hasMessage("device '0' is held by a and cannot also be held by b");
  }

  @Test
  void senselessDemandsAreRefusedWithTheirField() {
    assertThatThrownBy(() -> gpus(0)).hasMessage("gpus is 0; expected 1 or more");
    assertThatThrownBy(() -> cpus(-1)).hasMessage("cpus is -1; expected 0 or more");
    assertThatThrownBy(() -> shared(-1)).hasMessage("gpuMemory is -1; expected 0 or more");
    assertThatThrownBy(
            () -> new Demand.Gpu(2, OptionalLong.empty(), false, Optional.of("0"), true, Set.of()))
        .hasMessage("device '0' is named and gpus is 2; expected 1");
    assertThatThrownBy(() -> host(-1)).hasMessage("cpu-slots is -1; expected 0 or more");
  }

  private static DeviceReading reading(long free, Map<String, Long> used) {
    return new DeviceReading(free, used);
  }
}
