package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A job that failed on device 0 of the only host, which has another one, 1. */
class AvoidDevicesTest {
  private static final long GIB = 1L << 30;
  private static final ARequest ONE = aRequest("r").gpus(1);
  private static final ARequest TWO = aRequest("r").gpus(2);
  private static final ARequest SHARES =
      aRequest("r").gpus(1).resource("sharing", "shared").resource("gpuMemory", "2GiB");
  private static final ARequest LARGE = aRequest("r").gpus(1).resource("gpuMemory", "12GiB");
  private static final ARequest PINNED = aRequest("r").gpus(1).resource("device", "0");

  static Stream<Arguments> cases() {
    return Stream.of(
        arguments("both are free", ONE, null, List.of(), 0, 16, true),
        arguments("the other is busy: it waits for it", ONE, null, List.of("1"), 0, 16, false),
        arguments("both are needed", TWO, null, List.of(), 0, 16, true),
        arguments("it shares, and the other has room", SHARES, null, List.of(), 0, 16, true),
        arguments("it shares, and the other is full", SHARES, null, List.of("1"), 0, 16, false),
        arguments("one of the two is out of use", ONE, null, List.of(), 1, 16, true),
        arguments("the other is too small", LARGE, null, List.of("1"), 0, 8, true),
        arguments("the other is expected to be too small", ONE, 9L, List.of("1"), 0, 8, true),
        arguments("the other is expected to do", ONE, 7L, List.of("1"), 0, 8, false),
        arguments("it is pinned to the one that failed", PINNED, null, List.of("1"), 0, 16, true));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void aDeviceThatFailedIsUsedOnlyIfNoOtherCouldEverServe(
      String name,
      ARequest request,
      Long expectedGib,
      List<String> busy,
      int reserved,
      long otherGib,
      boolean placed) {
    QueueHead head = head(request, expectedGib, new Avoid(Map.of("h", List.of("0"))));

    Decision decision = decide(host(busy, reserved, otherGib), head);

    assertThat(decision.assignments()).hasSize(placed ? 1 : 0);
  }

  @Test
  void aHostSaysWhichDeviceItDoesNotCount() {
    QueueHead head = head(ONE, null, new Avoid(Map.of("h", List.of("0"))));

    List<HostAnswer> answers =
        HostAnswer.of(new Snapshot(List.of(host(List.of("1"), 0, 16)), List.of(head)), head);

    assertThat(answers.getFirst().obstacle()).isEqualTo(FilterFailure.BUSY);
    assertThat(answers.getFirst().sentence())
        .isEqualTo("has 1 of its 2 GPUs free, needs 1; not counted: [0], which failed it");
  }

  @Test
  void devicesOfOtherHostsPlayNoPart() {
    QueueHead head = head(ONE, null, new Avoid(Map.of("gone", List.of("0", "1"))));

    assertThat(decide(host(List.of("1"), 0, 16), head).assignments()).hasSize(1);
  }

  private static Decision decide(Host host, QueueHead head) {
    return PlacementPass.decide(new Snapshot(List.of(host), List.of(head)), Long.MAX_VALUE);
  }

  private static QueueHead head(ARequest request, Long expectedGib, Avoid avoid) {
    Long expected = expectedGib == null ? null : Long.valueOf(expectedGib * GIB);
    Memory memory = new Memory(new MemoryKeys("f", "p"), expected, false);
    Shape shape = Shape.of(request.build().resources());
    return new QueueHead("job", "q", shape, 0, 1, avoid, Set.of(), memory);
  }

  private static Host host(List<String> busy, int reserved, long otherGib) {
    List<DeviceInfo> devices =
        List.of(
            new DeviceInfo("0", "GPU-0", "fake", 16 * GIB, "9.0"),
            new DeviceInfo("1", "GPU-1", "fake", otherGib * GIB, "9.0"));
    List<AttemptRow> open = new ArrayList<>();
    busy.forEach(device -> open.add(on(device)));
    GpuCapacity room = GpuCapacity.of(devices, open, List.of(), reserved);
    Sharing sharing = new Sharing(devices, room, null, 0);
    return Hosts.host("h", null, 0, 0, Map.of(), sharing, Map.of());
  }

  private static AttemptRow on(String device) {
    AttemptRow.State runs = AttemptRow.State.RUNNING;
    return anAttempt("other")
        .queue("q")
        .host("h")
        .heard(runs, 1)
        .gpus(1)
        .devices(List.of(device))
        .row();
  }
}
