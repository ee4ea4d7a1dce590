package io.stoker.dispatcher.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.dispatcher.model.Takes.OnGpus;
import io.stoker.dispatcher.model.Takes.OnPool;
import io.stoker.dispatcher.model.Takes.OnSlots;
import io.stoker.dispatcher.model.Takes.Passive;
import io.stoker.dispatcher.model.Takes.Remote;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TakesTest {
  static Stream<Takes> all() {
    return Stream.of(
        new OnPool("iris"),
        new Remote("ssh", 0),
        new Remote("ssh", 2),
        new Remote("of a newer build", 0),
        new Passive(),
        new OnGpus(1, null, null, null),
        new OnGpus(2, 3L, 4L, "container"),
        new OnSlots(0, null, null),
        new OnSlots(2, 5L, "container"));
  }

  @ParameterizedTest
  @MethodSource("all")
  void whatIsStoredIsReadAsItWas(Takes one) {
    assertThat(
            Takes.of(
                one.gpus(),
                one.cpuSlots(),
                one.gpuMemory(),
                one.hostMemory(),
                one.pool(),
                one.runner()))
        .isEqualTo(one);
  }

  @Test
  void whatNothingTakesAtOnceCannotBeRead() {
    refused(1, 1, null, null, null, null);
    refused(0, 1, 1L, null, null, null);
    refused(0, 1, null, null, "iris", null);
    refused(0, 0, null, 1L, "iris", null);
    refused(0, 0, null, null, "iris", "ssh");
    refused(0, 1, null, null, null, "ssh");
    refused(1, 0, 1L, null, null, "ssh");
    refused(1, 0, null, null, null, "passive");
  }

  private static void refused(
      int gpus, int cpuSlots, Long gpuMemory, Long hostMemory, String pool, String runner) {
    assertThatThrownBy(() -> Takes.of(gpus, cpuSlots, gpuMemory, hostMemory, pool, runner))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("%d GPU(s) with %s bytes each", gpus, gpuMemory);
  }

  @Test
  void gpusOfAnotherMachineCountForItsQueueAloneAndNotForItsHost() {
    assertThat(new Remote("ssh", 2).gpus()).isEqualTo(2);
    assertThat(new Remote("ssh", 2).devices()).isZero();
    assertThat(new OnGpus(2, null, null, null).gpus()).isEqualTo(2);
    assertThat(new OnGpus(2, null, null, null).devices()).isEqualTo(2);
  }
}
