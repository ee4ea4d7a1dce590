package io.stoker.agent.hardware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.device.Condition.State;
import io.stoker.agent.device.HealthBook;
import io.stoker.agent.device.HealthRecord;
import io.stoker.agent.device.XidPolicy;
import io.stoker.agent.gpu.NvmlApi;
import io.stoker.agent.nvml.FakeNvmlCompiler;
import io.stoker.agent.nvml.FakeNvmlCompiler.Variant;
import io.stoker.agent.nvml.FakeWorld;
import io.stoker.agent.nvml.Nvml;
import io.stoker.agent.nvml.NvmlStart;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Questions to devices that fail in ways that no driver is known to fail in. */
@Timeout(120)
class HealthWatchTest {
  private static final Path LIBRARY = FakeNvmlCompiler.library(Variant.CURRENT);
  private static final Duration SOON = Duration.ofSeconds(60);

  @TempDir Path dir;
  @TempDir Path data;

  private final HealthBook book =
      new HealthBook(new HealthRecord.Rules(XidPolicy.DEFAULT, 1_500, 3, 3_600_000, 3));
  private final List<Input> inputs = new CopyOnWriteArrayList<>();

  /** How often each device was asked how it is. */
  private final Map<String, AtomicInteger> asked = new ConcurrentHashMap<>();

  /** A driver that is as it is but for the first answer of a device. */
  private NvmlStart failingFirst(String uuid) {
    NvmlApi real = ((NvmlStart.Ready) Nvml.open(LIBRARY.toString())).api();
    NvmlApi failing =
        (NvmlApi)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {NvmlApi.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("health")) {
                    String of = (String) arguments[0];
                    int times =
                        asked.computeIfAbsent(of, one -> new AtomicInteger()).incrementAndGet();
                    if (of.equals(uuid) && times == 1) {
                      throw new ArithmeticException("what it says makes no sense");
                    }
                  }
                  try {
                    return method.invoke(real, arguments);
                  } catch (InvocationTargetException e) {
                    throw e.getCause();
                  }
                });
    return new NvmlStart.Ready(failing);
  }

  @Test
  void aDeviceOfWhichAQuestionHasFailedIsAskedAgainAndSoAreTheOthers() throws Exception {
    FakeWorld world = FakeWorld.in(dir, LIBRARY);
    String failed = world.addGpu(0, FakeWorld.GIB);
    String other = world.addGpu(1, FakeWorld.GIB);
    try (HostDevices devices =
            HostDevices.open(
                () -> failingFirst(failed),
                Optional.empty(),
                Optional.empty(),
                1,
                new ToldDevices(data));
        HealthWatch health =
            new HealthWatch(
                devices, book, Duration.ofMillis(50), Duration.ofSeconds(30), inputs::add)) {
      await().atMost(SOON).until(() -> times(failed) > 2 && times(other) > 2);

      world.failing(0, "nvmlDeviceGetTotalEccErrors", 15);
      await().atMost(SOON).until(() -> state(failed) == State.UNHEALTHY);
      assertThat(state(other)).isEqualTo(State.OK);
      await().atMost(SOON).until(() -> inputs.stream().anyMatch(Input.Judged.class::isInstance));
    }
  }

  private int times(String uuid) {
    return Optional.ofNullable(asked.get(uuid)).map(AtomicInteger::get).orElse(0);
  }

  private State state(String uuid) {
    return Optional.ofNullable(
            book.conditions(List.of(uuid), System.nanoTime() / 1_000_000).get(uuid))
        .map(condition -> condition.state())
        .orElse(State.OK);
  }
}
