package io.stoker.agent.nvml;

import static io.stoker.agent.nvml.FakeWorld.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.gpu.DeviceEvent;
import io.stoker.agent.gpu.DeviceEvent.Kind;
import io.stoker.agent.gpu.NvmlEvents;
import io.stoker.agent.gpu.NvmlException;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class EventsTest extends OnFakeNvml {
  private static final Duration SHORT = Duration.ofMillis(1);

  private final String gpu0 = gpu(0);
  private final String gpu1 = gpu(1);

  EventsTest() {
    super(Variant.CURRENT, 16 * GIB, 16 * GIB);
  }

  @Test
  void eachXidIsToldOnceWithItsDevice() {
    world.with("gpu1/xids", "13");
    try (NvmlEvents events = watch(gpu0, gpu1)) {
      assertThat(events.unwatched()).isEmpty();
      assertThat(events.await(SHORT)).as("what was before the watch").isEmpty();

      world.with("gpu1/xids", "13\n79\n48").with("gpu0/xids", "31");

      assertThat(List.of(next(events), next(events), next(events)))
          .containsExactlyInAnyOrder(xid(gpu0, 31), xid(gpu1, 79), xid(gpu1, 48));
      assertThat(events.await(SHORT)).isEmpty();
    }
  }

  @Test
  void aWaitEndsWhenSomethingHappens() {
    try (NvmlEvents events = watch(gpu0, gpu1)) {
      CompletableFuture<DeviceEvent> told = CompletableFuture.supplyAsync(() -> next(events));

      world.with("gpu0/xids", "79");

      assertThat(told.join()).isEqualTo(xid(gpu0, 79));
    }
  }

  @Test
  void aDeviceThatCannotBeWatchedKeepsNoOtherFromIt() {
    world.failing(0, "nvmlDeviceGetHandleByUUID", 15);
    try (NvmlEvents events = watch(gpu0, gpu1)) {
      assertThat(events.unwatched()).containsOnlyKeys(gpu0);
      assertThat(events.unwatched().get(gpu0)).contains("GPU is lost");

      world.with("gpu1/xids", "79");

      assertThat(next(events)).isEqualTo(xid(gpu1, 79));
    }
  }

  @Test
  void anEventOfADeviceThatCannotBeNamedIsToldAllTheSame() {
    try (NvmlEvents events = watch(gpu0)) {
      world.failing(0, "nvmlDeviceGetUUID", 15);
      world.with("gpu0/xids", "79");

      assertThat(next(events)).isEqualTo(new DeviceEvent(Optional.empty(), Kind.XID, 79));
    }
  }

  @Test
  void aLostGpuEndsTheWaitWithAFailure() {
    try (NvmlEvents events = watch(gpu0)) {
      world.failing("nvmlEventSetWait_v2", 15);

      assertThatThrownBy(() -> events.await(SHORT))
          .isInstanceOfSatisfying(NvmlException.class, e -> assertThat(e.isGpuLost()).isTrue());
    }
  }

  @Test
  void aClosedWatchCanBeClosedAgainAndNotWaitedOn() {
    NvmlEvents events = watch(gpu0);
    events.close();
    events.close();

    assertThatThrownBy(() -> events.await(SHORT)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void releasingNvmlEndsItsWatches() {
    NvmlEvents events = watch(gpu0);
    nvml.close();

    assertThatThrownBy(() -> events.await(SHORT)).isInstanceOf(IllegalStateException.class);
    events.close();
  }

  @Test
  void waitsAreBounded() {
    try (NvmlEvents events = watch(gpu0)) {
      assertThatThrownBy(() -> events.await(Duration.ZERO))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> events.await(Duration.ofMillis(5001)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("PT5.001S");
    }
  }

  private NvmlEvents watch(String... uuids) {
    return nvml.watch(List.of(uuids)).orElseThrow();
  }

  private static DeviceEvent next(NvmlEvents events) {
    Optional<DeviceEvent> told = Optional.empty();
    for (int i = 0; i < 12 && told.isEmpty(); i++) { // a minute
      told = events.await(NvmlEvents.MAX_WAIT);
    }
    return told.orElseThrow();
  }

  private static DeviceEvent xid(String uuid, long number) {
    return new DeviceEvent(Optional.of(uuid), Kind.XID, number);
  }
}
