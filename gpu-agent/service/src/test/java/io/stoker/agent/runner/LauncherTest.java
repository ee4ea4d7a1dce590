package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.device.CpuSet;
import io.stoker.agent.spawn.Order;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.agent.spawn.Rusage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** What is asked of a spawner that dies before it has answered. */
@Timeout(value = 300, threadMode = ThreadMode.SEPARATE_THREAD)
class LauncherTest {
  /** Of orders, and of answers to them: far more than a pipe holds. */
  private static final int ORDERS = 3_000;

  private static final Duration SOON = Duration.ofSeconds(120);

  @TempDir Path data;

  /** Runs of which the spawner has said something. */
  private final Set<String> answered = ConcurrentHashMap.newKeySet();

  /** It outlives its launcher, as the runs do that it keeps. */
  @AfterEach
  void endKeepers() throws IOException {
    Spawners.keepers(data).forEach(OwnProcess::kill);
  }

  private final class Heard implements Launcher.Replies {
    @Override
    public void started(String run, long pid, long startTicks) {
      answered.add(run);
    }

    @Override
    public void exited(String run, int exitCode, boolean clean, Optional<Rusage> usage) {
      answered.add(run);
    }

    @Override
    public void refused(String run, String why) {
      answered.add(run);
    }

    @Override
    public void takenBefore(String run) {
      answered.add(run);
    }

    @Override
    public void unavailable(String run, String why) {
      answered.add(run);
    }

    @Override
    public void died() {}
  }

  private static Order order(int number) {
    return new Order(
        "job%d-1".formatted(number),
        "/bin/true",
        "/",
        false,
        List.of("true", "x".repeat(200)),
        List.of(),
        CpuSet.NONE);
  }

  /** It refuses each of them, as they have no folders. */
  @Test
  void whatASpawnerThatDiedHadNotAnsweredIsAskedOfTheNextHoweverMuchThatIs() throws Exception {
    try (Launcher launcher =
        new Launcher(data, "launcher-test", Map.of(), true, new Heard(), trouble -> {})) {
      launcher.launch(order(0));
      await().atMost(SOON).until(() -> answered.contains("job0-1"));
      OwnProcess spawner = Spawners.only(data);
      try {
        new ProcessBuilder("kill", "-STOP", Long.toString(spawner.pid())).start().waitFor();
        Thread asks = Thread.ofPlatform().daemon().start(() -> ask(launcher));
        assertThat(asks.join(SOON)).as("nobody waits for one that does not read").isTrue();
      } finally {
        spawner.kill();
      }

      await().atMost(SOON).until(() -> answered.size() == ORDERS);
    }
  }

  private static void ask(Launcher launcher) {
    for (int n = 1; n < ORDERS; n++) {
      launcher.launch(order(n));
    }
  }
}
