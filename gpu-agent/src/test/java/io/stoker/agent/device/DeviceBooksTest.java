package io.stoker.agent.device;

import static io.stoker.agent.device.Demand.cpus;
import static io.stoker.agent.device.Demand.gpus;
import static io.stoker.agent.device.Demand.shared;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.device.Decision.Granted;
import io.stoker.agent.device.Decision.Refusal;
import io.stoker.agent.device.Decision.Refused;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules of giving devices out, each as a table row or a short story. */
class DeviceBooksTest {

  private static final long GIB = 1L << 30;
  private static final long TOTAL = 16 * GIB;

  /** Demands in turn, and what becomes of each: the devices, {@code slots:N}, or the refusal. */
  static Arguments[] sequences() {
    Demand oneGpu = gpus(1);
    Demand noFallback = new Demand.Gpu(1, OptionalLong.empty(), false, Optional.empty(), false);
    return new Arguments[] {
      sequence("two GPUs, no slots", host(0, "0", "1"))
          .gives(oneGpu, "0")
          .gives(oneGpu, "1")
          .gives(oneGpu, "NOT_NOW")
          .gives(cpus(1), "NEVER_FITS")
          .done(),
      sequence("no GPU, two slots: GPU jobs", host(2))
          .gives(oneGpu, "slots:1")
          .gives(oneGpu, "slots:1")
          .gives(oneGpu, "NOT_NOW")
          .gives(cpus(1), "NOT_NOW")
          .done(),
      sequence("no GPU, two slots: a mix", host(2))
          .gives(cpus(1), "slots:1")
          .gives(oneGpu, "slots:1")
          .gives(cpus(1), "NOT_NOW")
          .gives(oneGpu, "NOT_NOW")
          .done(),
      sequence("the order of the list is kept", host(0, "3", "1", "2"))
          .gives(oneGpu, "3")
          .gives(oneGpu, "1")
          .gives(oneGpu, "2")
          .done(),
      sequence("several at once, all or nothing", host(0, "0", "1", "2"))
          .gives(gpus(2), "0,1")
          .gives(gpus(2), "NOT_NOW")
          .gives(oneGpu, "2")
          .gives(gpus(4), "NEVER_FITS")
          .done(),
      sequence("a GPU job takes no slot", host(1, "0"))
          .gives(oneGpu, "0")
          .gives(cpus(1), "slots:1")
          .done(),
      sequence("several slots", host(4))
          .gives(cpus(3), "slots:3")
          .gives(cpus(2), "NOT_NOW")
          .gives(cpus(5), "NEVER_FITS")
          .gives(cpus(1), "slots:1")
          .gives(cpus(0), "slots:0")
          .done(),
      sequence("several GPUs of a host without take as many slots", host(3))
          .gives(gpus(2), "slots:2")
          .gives(gpus(2), "NOT_NOW")
          .gives(gpus(4), "NEVER_FITS")
          .done(),
      sequence("no fallback wanted", host(2)).gives(noFallback, "NO_GPU").done(),
      sequence("no fallback needed", host(2, "0")).gives(noFallback, "0").done(),
      sequence("a GPU host does not fall back", host(2, "0"))
          .gives(oneGpu, "0")
          .gives(oneGpu, "NOT_NOW")
          .done(),
      sequence("a named device and no other", host(0, "0", "1"))
          .gives(on("1"), "1")
          .gives(on("1"), "NOT_NOW")
          .gives(on("7"), "NEVER_FITS")
          .gives(oneGpu, "0")
          .done(),
      sequence("a device that failed it is avoided", host(0, "0", "1"))
          .gives(avoiding(1, "0"), "1")
          .gives(avoiding(1, "0"), "NOT_NOW")
          .gives(oneGpu, "0")
          .done(),
      sequence("by its UUID, too", host(0, "0", "1")).gives(avoiding(1, "uuid of 0"), "1").done(),
      sequence("all that there are", host(0, "0")).gives(avoiding(1, "0"), "0").done(),
      sequence("all are needed", host(0, "0", "1")).gives(avoiding(2, "0"), "0,1").done(),
      sequence("a named device does not fall back", host(2)).gives(on("0"), "NEVER_FITS").done(),
      sequence("more memory than any device has", host(0, "0"))
          .gives(exclusiveWith(TOTAL + 1), "NEVER_FITS")
          .gives(exclusiveWith(TOTAL), "0")
          .done(),
      sequence("sharing without a figure takes the device alone", host(0, "0", "1"))
          .gives(sharedWithoutFigure(), "0")
          .gives(sharedWithoutFigure(), "1")
          .gives(sharedWithoutFigure(), "NOT_NOW")
          .done(),
      sequence("sharing needs a reading of the memory", host(0, "0"))
          .gives(shared(GIB), "NOT_NOW")
          .done(),
    };
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sequences")
  void demandsInTurn(String name, Inventory inventory, List<Step> steps) {
    DeviceBooks books = DeviceBooks.of(inventory);
    for (int i = 0; i < steps.size(); i++) {
      Decision decision = books.allocate("job-" + i, steps.get(i).demand());
      assertThat(told(decision)).as("step %d: %s", i, decision).isEqualTo(steps.get(i).outcome());
      if (decision instanceof Granted granted) {
        books = granted.books();
      }
    }
  }

  @Test
  void aRefusalSaysWhatWasAskedAndWhatThereIs() {
    DeviceBooks books = granted(DeviceBooks.of(host(1, "0", "1")), "job-a", gpus(1));

    assertThat(books.allocate("job-b", gpus(2)))
        .isEqualTo(
            new Refused(
                Refusal.NOT_NOW,
                "2 GPUs asked for, and 1 of 2 can serve now:"
                    + " 0 held by job-a, memory not yet read, 1 free, memory not yet read"));
    assertThat(books.allocate("job-b", gpus(3)))
        .isEqualTo(
            new Refused(
                Refusal.NEVER_FITS,
                "3 GPUs asked for, and 2 of this host's 2 devices could serve"));
    assertThat(books.allocate("job-b", cpus(2)))
        .isEqualTo(new Refused(Refusal.NEVER_FITS, "2 CPU slots asked for, and this host has 1"));
    assertThat(books.allocate("job-b", on("9")))
        .isEqualTo(
            new Refused(
                Refusal.NEVER_FITS,
                "device '9' asked for, which this host does not offer; it has 0, 1"));
  }

  @Test
  void aDeviceThatIsAvoidedServesWhileTheOtherIsOutOfUse() {
    DeviceBooks books = DeviceBooks.of(host(0, "0", "1")).quarantine("1", "Xid 79");

    assertThat(allocation(books.allocate("a", avoiding(1, "0"))).devices()).containsExactly("0");
  }

  @Test
  void theVisibleDevicesAreTheIdsAsGivenAndEmptyOnCpu() {
    DeviceBooks gpuHost = DeviceBooks.of(host(1, "GPU-ab", "1", "0"));

    assertThat(allocation(gpuHost.allocate("a", gpus(2))).cudaVisibleDevices())
        .isEqualTo("GPU-ab,1");
    assertThat(allocation(gpuHost.allocate("a", cpus(1))).cudaVisibleDevices()).isEmpty();
    assertThat(allocation(DeviceBooks.of(host(1)).allocate("a", gpus(1))).cudaVisibleDevices())
        .isEmpty();
  }

  @Test
  void whatIsReleasedCanBeGivenAgain() {
    DeviceBooks idle = DeviceBooks.of(host(1, "0"));
    DeviceBooks busy = granted(granted(idle, "gpu-job", gpus(1)), "cpu-job", cpus(1));
    assertThat(busy.anyGpuFree()).isFalse();
    assertThat(busy.anyCpuFree()).isFalse();

    DeviceBooks again = busy.release("gpu-job").release("cpu-job");

    assertThat(again.anyGpuFree()).isTrue();
    assertThat(again.anyCpuFree()).isTrue();
    assertThat(again.allocations()).isEmpty();
    assertThat(granted(again, "next", gpus(1)).holdersOf("0")).hasSize(1);
    assertThat(busy.anyGpuFree()).as("the former books are as they were").isFalse();
  }

  @Test
  void devicesAreReleasedOneByOne() {
    DeviceBooks books = granted(DeviceBooks.of(host(0, "0", "1")), "job", gpus(2));

    DeviceBooks half = books.release("job", "0");

    assertThat(half.anyGpuFree()).isTrue();
    assertThat(half.allocations()).extracting(Allocation::devices).containsExactly(List.of("1"));
    assertThat(half.release("job", "1").allocations()).isEmpty();
  }

  @Test
  void releasingWhatIsFreeUnknownOrAnothersNamesIt() {
    DeviceBooks books = granted(DeviceBooks.of(host(0, "0", "1")), "job-a", gpus(1));

    assertThatThrownBy(() -> books.release("job-b"))
        .isInstanceOf(DeviceException.class)
        .hasMessage("nothing is allocated to job-b, so nothing can be released");
    assertThatThrownBy(() -> books.release("job-a", "1"))
        .isInstanceOf(DeviceException.class)
        .hasMessage("device '1' is free and cannot be released");
    assertThatThrownBy(() -> books.release("job-a", "7"))
        .isInstanceOf(DeviceException.class)
        .hasMessage("this host has no device '7'; it has 0, 1");
    assertThatThrownBy(() -> books.release("job-b", "0"))
        .isInstanceOf(DeviceException.class)
        .hasMessage("device '0' is held by job-a, so job-b cannot release it");
    assertThatThrownBy(() -> books.release("job-a").release("job-a"))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("job-a");
  }

  @Test
  void aHolderIsGivenOnce() {
    DeviceBooks books = granted(DeviceBooks.of(host(0, "0", "1")), "job-a", gpus(1));

    assertThatThrownBy(() -> books.allocate("job-a", gpus(1)))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("job-a already holds");
  }

  @Test
  void anyFreeQueriesOfAHostWithoutGpuAnswerForTheSlots() {
    DeviceBooks books = DeviceBooks.of(host(1));
    assertThat(books.anyGpuFree()).isTrue();
    assertThat(books.anyCpuFree()).isTrue();

    DeviceBooks full = granted(books, "job", gpus(1));

    assertThat(full.anyGpuFree()).isFalse();
    assertThat(full.anyCpuFree()).isFalse();
    assertThat(DeviceBooks.of(host(0, "0")).anyCpuFree()).isFalse();
    assertThat(DeviceBooks.of(host(0, "0")).anyGpuFree()).isTrue();
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

    Decision decision = DeviceBooks.of(broken).allocate("job", gpus(1));

    assertThat(decision)
        .isEqualTo(
            new Refused(
                Refusal.NOT_NOW,
                "1 GPU asked for, and 0 of this host's 0 devices could serve;"
                    + " GPU 0 is out of use: GPU is lost"));
    assertThat(DeviceBooks.of(broken).anyGpuFree()).isFalse();
  }

  @Test
  void oneMigDeviceAProcess() {
    Inventory inventory =
        inventory(
            0,
            device("MIG-aa", DeviceType.MIG),
            device("MIG-bb", DeviceType.MIG),
            device("0", DeviceType.GPU));

    assertThat(told(DeviceBooks.of(inventory).allocate("job", gpus(1)))).isEqualTo("MIG-aa");
    assertThat(told(DeviceBooks.of(inventory).allocate("job", gpus(2)))).isEqualTo("NEVER_FITS");
  }

  @Test
  void whatIsPromisedAndNotYetInUseIsNotPromisedAgain() {
    DeviceBooks books = DeviceBooks.of(host(0, "0")).observe("0", reading(10 * GIB, Map.of()));
    books = granted(books, "a", shared(6 * GIB));
    assertThat(books.headroom("0")).hasValue(4 * GIB);
    assertThat(told(books.allocate("b", shared(4 * GIB + 1)))).isEqualTo("NOT_NOW");

    books = granted(books, "b", shared(4 * GIB));

    assertThat(books.headroom("0")).hasValue(0);
    assertThat(told(books.allocate("c", shared(1)))).isEqualTo("NOT_NOW");
  }

  @Test
  void memoryThatShowsIsNoLongerCountedAsPromised() {
    DeviceBooks books = DeviceBooks.of(host(0, "0")).observe("0", reading(10 * GIB, Map.of()));
    books = granted(books, "a", shared(6 * GIB));

    books = books.observe("0", reading(6 * GIB, Map.of("a", 4 * GIB)));
    assertThat(books.headroom("0")).as("2 GiB are still to come").hasValue(4 * GIB);

    books = books.observe("0", reading(3 * GIB, Map.of("a", 7 * GIB)));
    assertThat(books.headroom("0")).as("it took more than it was promised").hasValue(3 * GIB);
  }

  @Test
  void memoryTakenByStrangersIsNotPromised() {
    DeviceBooks books = granted(observed("0", 10 * GIB), "a", shared(6 * GIB));

    DeviceBooks invaded = books.observe("0", reading(5 * GIB, Map.of()));

    assertThat(invaded.headroom("0")).hasValue(-GIB);
    assertThat(told(invaded.allocate("b", shared(0)))).isEqualTo("NOT_NOW");
  }

  @Test
  void aSharedJobGoesToTheFirstDeviceWithRoom() {
    DeviceBooks books =
        DeviceBooks.of(host(0, "0", "1"))
            .observe("0", reading(2 * GIB, Map.of()))
            .observe("1", reading(8 * GIB, Map.of()));

    assertThat(told(books.allocate("a", shared(4 * GIB)))).isEqualTo("1");
    assertThat(told(books.allocate("a", shared(GIB)))).isEqualTo("0");
  }

  @Test
  void exclusiveAndSharedJobsDoNotMeet() {
    DeviceBooks sharing = granted(observed("0", 10 * GIB), "a", shared(GIB));
    DeviceBooks alone = granted(observed("0", 10 * GIB), "a", gpus(1));

    assertThat(told(sharing.allocate("b", gpus(1)))).isEqualTo("NOT_NOW");
    assertThat(told(alone.allocate("b", shared(GIB)))).isEqualTo("NOT_NOW");
  }

  @Test
  void anExclusiveJobWithAFigureNeedsThatMuchFree() {
    DeviceBooks books = observed("0", 3 * GIB);

    assertThat(told(books.allocate("a", exclusiveWith(4 * GIB)))).isEqualTo("NOT_NOW");
    assertThat(told(books.allocate("a", exclusiveWith(3 * GIB)))).isEqualTo("0");
  }

  @Test
  void aQuarantinedDeviceIsGivenToNobodyUntilItIsReadmitted() {
    DeviceBooks books = DeviceBooks.of(host(0, "0", "1")).quarantine("0", "Xid 79");

    assertThat(told(books.allocate("a", gpus(1)))).isEqualTo("1");
    assertThat(((Refused) books.allocate("a", gpus(2))).sentence())
        .contains("0 out of use (Xid 79)");
    assertThat(told(books.readmit("0").allocate("a", gpus(1)))).isEqualTo("0");
    assertThatThrownBy(() -> books.quarantine("7", "x"))
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining("'7'");
  }

  @Test
  void aQuarantinedDeviceStaysWithItsHolder() {
    DeviceBooks books =
        granted(DeviceBooks.of(host(0, "0")), "a", gpus(1)).quarantine("0", "Xid 79");

    assertThat(books.holdersOf("0")).hasSize(1);
    assertThat(books.anyGpuFree()).isFalse();
    assertThat(books.release("a").anyGpuFree()).as("still out of use").isFalse();
  }

  @Test
  void whatIsFoundHeldAfterARestartIsEnteredAgain() {
    Allocation shared = new Allocation("a", List.of("1"), false, OptionalLong.of(6 * GIB), 0);
    Allocation slots = new Allocation("b", List.of(), false, OptionalLong.empty(), 2);

    DeviceBooks books = DeviceBooks.of(host(2, "0", "1")).adopt(shared).adopt(slots);

    assertThat(books.allocations()).containsExactly(shared, slots);
    assertThat(books.freeCpuSlots()).isZero();
    assertThat(books.observe("1", reading(10 * GIB, Map.of())).headroom("1")).hasValue(4 * GIB);
  }

  @Test
  void whatCannotHaveBeenHeldIsRefusedByName() {
    DeviceBooks books = granted(DeviceBooks.of(host(1, "0", "1")), "a", gpus(1));

    assertThatThrownBy(
            () -> books.adopt(new Allocation("b", List.of("0"), true, OptionalLong.empty(), 0)))
        .hasMessage("device '0' is held by a and cannot also be held by b");
    assertThatThrownBy(
            () -> books.adopt(new Allocation("b", List.of("7"), true, OptionalLong.empty(), 0)))
        .hasMessageContaining("no device '7'");
    assertThatThrownBy(
            () -> books.adopt(new Allocation("b", List.of(), false, OptionalLong.empty(), 2)))
        .hasMessage("b holds 2 CPU slots, and 1 of 1 are free");
  }

  @Test
  void senselessDemandsAreRefusedWithTheirField() {
    assertThatThrownBy(() -> gpus(0)).hasMessage("gpus is 0; expected 1 or more");
    assertThatThrownBy(() -> cpus(-1)).hasMessage("cpus is -1; expected 0 or more");
    assertThatThrownBy(() -> shared(-1)).hasMessage("gpuMemory is -1; expected 0 or more");
    assertThatThrownBy(() -> new Demand.Gpu(2, OptionalLong.empty(), false, Optional.of("0"), true))
        .hasMessage("device '0' is named and gpus is 2; expected 1");
    assertThatThrownBy(() -> host(-1)).hasMessage("cpu-slots is -1; expected 0 or more");
  }

  record Step(Demand demand, String outcome) {}

  private static final class Sequence {
    private final String name;
    private final Inventory inventory;
    private final List<Step> steps = new ArrayList<>();

    Sequence(String name, Inventory inventory) {
      this.name = name;
      this.inventory = inventory;
    }

    Sequence gives(Demand demand, String outcome) {
      steps.add(new Step(demand, outcome));
      return this;
    }

    Arguments done() {
      return Arguments.of(name, inventory, steps);
    }
  }

  private static Sequence sequence(String name, Inventory inventory) {
    return new Sequence(name, inventory);
  }

  private static String told(Decision decision) {
    return switch (decision) {
      case Refused(Refusal refusal, String sentence) -> refusal.name();
      case Granted(DeviceBooks books, Allocation given) when given.devices().isEmpty() ->
          "slots:" + given.cpuSlots();
      case Granted(DeviceBooks books, Allocation given) -> String.join(",", given.devices());
    };
  }

  private static DeviceBooks granted(DeviceBooks books, String holder, Demand demand) {
    return ((Granted) books.allocate(holder, demand)).books();
  }

  private static Allocation allocation(Decision decision) {
    return ((Granted) decision).allocation();
  }

  private static DeviceBooks observed(String device, long free) {
    return DeviceBooks.of(host(0, device)).observe(device, reading(free, Map.of()));
  }

  private static DeviceReading reading(long free, Map<String, Long> used) {
    return new DeviceReading(free, used);
  }

  private static Demand on(String device) {
    return new Demand.Gpu(1, OptionalLong.empty(), false, Optional.of(device), true);
  }

  private static Demand avoiding(int gpus, String device) {
    return new Demand.Gpu(
        gpus, OptionalLong.empty(), false, Optional.empty(), true, Set.of(device));
  }

  private static Demand exclusiveWith(long memory) {
    return new Demand.Gpu(1, OptionalLong.of(memory), false, Optional.empty(), true);
  }

  private static Demand sharedWithoutFigure() {
    return new Demand.Gpu(1, OptionalLong.empty(), true, Optional.empty(), true);
  }

  private static Inventory host(int cpuSlots, String... ids) {
    return ids.length == 0
        ? Inventory.withoutGpu("no driver", cpuSlots)
        : inventory(
            cpuSlots,
            Arrays.stream(ids).map(id -> device(id, DeviceType.GPU)).toArray(Device[]::new));
  }

  private static Inventory inventory(int cpuSlots, Device... devices) {
    return new Inventory(List.of(devices), cpuSlots, Optional.empty(), Optional.empty(), List.of());
  }

  private static Device device(String id, DeviceType type) {
    return new Device(id, "uuid of " + id, "Fake GPU", TOTAL, type, Optional.empty());
  }
}
