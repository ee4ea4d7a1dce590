package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.DeviceInfo;
import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.dispatcher.model.AttemptRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whole GPUs and shares of GPUs; each has 8 GiB. */
class GpuCapacityTest {
  private static final long GIB = 1L << 30;

  @Test
  void sharesArePackedOnTheFullestAndWholeGpusStayWhole() {
    GpuCapacity room = room(2, List.of(), 0);

    room.take(1, 3 * GIB, Set.of());
    assertThat(room.whole()).isEqualTo(1);
    room.take(1, 5 * GIB, Set.of());
    assertThat(room.whole()).as("both fit on one").isEqualTo(1);
    assertThat(room.has(1, 8 * GIB)).isTrue();
    assertThat(room.has(2, 1L)).as("one is full").isFalse();
    room.take(1, 2 * GIB, Set.of());
    assertThat(room.whole()).isZero();
    assertThat(room.has(1, 6 * GIB)).isTrue();
    assertThat(room.has(1, 6 * GIB + 1)).isFalse();
    assertThat(room.has(1, null)).isFalse();
  }

  @Test
  void whatIsOpenIsCountedWhereItsAgentSaidItIs() {
    GpuCapacity room =
        room(
            3,
            List.of(
                attempt("a", 1, null, "2"),
                attempt("b", 1, 6 * GIB, "0"),
                attempt("c", 1, 2 * GIB, "0"),
                attempt("d", 1, GIB)),
            0);

    assertThat(room.whole()).as("d does not fit on 0, and 2 is not shared").isZero();
    assertThat(room.has(1, 7 * GIB)).as("beside d").isTrue();
    assertThat(room.has(1, 7 * GIB + 1)).isFalse();
  }

  @Test
  void memoryThatOthersUseIsNotPromised() {
    GpuCapacity room = room(1, List.of(attempt("a", 1, GIB, "0")), 0, 3 * GIB);

    assertThat(room.has(1, 5 * GIB)).isTrue();
    assertThat(room.has(1, 5 * GIB + 1)).isFalse();
  }

  @Test
  void whatIsReservedIsSomeGpuAndItsMemory() {
    GpuCapacity room = room(2, List.of(), 1);

    assertThat(room.whole()).isEqualTo(1);
    assertThat(room.has(2, GIB)).isFalse();
    room.take(1, GIB, Set.of());
    assertThat(room.whole()).isZero();
    assertThat(room.has(1, GIB)).isTrue();
  }

  @Test
  void moreThanThereIsCannotBe() {
    List<DeviceInfo> devices = devices(2);

    assertThat(GpuCapacity.couldHave(devices, 2, 8 * GIB)).isTrue();
    assertThat(GpuCapacity.couldHave(devices, 2, null)).isTrue();
    assertThat(GpuCapacity.couldHave(devices, 1, 8 * GIB + 1)).isFalse();
    assertThat(GpuCapacity.couldHave(devices, 3, null)).isFalse();
  }

  @Test
  void nothingIsPromisedTwiceWhateverIsAsked() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random chance = new Random(seed);
      int count = 1 + chance.nextInt(4);
      GpuCapacity room = room(count, List.of(), 0);
      long promised = 0;
      int alone = 0;
      for (int i = 0; i < 30; i++) {
        int gpus = 1 + chance.nextInt(2);
        Long bytes = chance.nextInt(4) == 0 ? null : (1 + chance.nextInt(8)) * GIB;
        if (room.has(gpus, bytes)) {
          assertThat(room.copy().has(gpus, bytes)).isTrue();
          room.take(gpus, bytes, Set.of());
          alone += bytes == null ? gpus : 0;
          promised += bytes == null ? 0 : bytes * gpus;
        }
        assertThat(promised).as("seed %d", seed).isLessThanOrEqualTo((count - alone) * 8 * GIB);
        assertThat(room.whole()).as("seed %d", seed).isBetween(0, count - alone);
      }
    }
  }

  private static GpuCapacity room(int count, List<AttemptRow> open, int reserved, long... used) {
    List<DeviceTelemetry> telemetry = new ArrayList<>();
    for (int i = 0; i < used.length; i++) {
      telemetry.add(new DeviceTelemetry("" + i, used[i], null, null, null));
    }
    return GpuCapacity.of(devices(count), open, telemetry, reserved);
  }

  private static List<DeviceInfo> devices(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new DeviceInfo("" + i, "GPU-" + i, "fake", 8 * GIB, "9.0"))
        .toList();
  }

  private static AttemptRow attempt(String job, int gpus, Long bytes, String... devices) {
    return anAttempt(job).gpus(gpus).devices(List.of(devices)).gpuMemory(bytes).row();
  }
}
