package io.stoker.e2e.outside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.TopicLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The power of a host is cut again and again while its jobs run, have just ended, or wait: its
 * processes are gone at once, and of what they wrote only what was forced to the disk is certain to
 * be there. {@code -Dstoker.power-cuts=N} cuts it as often, {@code -Dstoker.power-seed=N} draws the
 * same jobs.
 */
@Timeout(1_800)
@BesideTheSharedStack
class PowerLossTest {
  private static final int CUTS = Integer.getInteger("stoker.power-cuts", 3);
  private static final long SEED = Long.getLong("stoker.power-seed", System.nanoTime());
  private static final Duration PATIENCE = StatusLog.PATIENCE;
  private static final String HOST = "host-1";

  /** More than its four slots take. */
  private static final int OPEN = 16;

  /** As often as it may please the kernel to write what nobody has forced, and sooner. */
  private static final int LONGEST_MS = 7_000;

  @TempDir Path folder;

  @Test
  void everyRequestEndsOnceWhateverTheDiskHasKept() throws Exception {
    System.out.printf("PowerLossTest: %d cuts, -Dstoker.power-seed=%d%n", CUTS, SEED);
    Random random = new Random(SEED);
    JobNotes notes = new JobNotes(Files.createDirectory(folder.resolve("notes")));
    OutsideLoad load = new OutsideLoad(notes, random);
    StatusRules statuses = new StatusRules();
    try (HostDisks disks = HostDisks.mount(folder.resolve("disks"), List.of(HOST));
        StokerStack stack =
            StokerStack.start(
                "power-loss",
                disks
                    .in(StokerStack.twoOfEach().withDispatchers(1).withHosts(1))
                    .withDispatcherEnvironment(
                        Map.of(
                            "STOKER_LEASE_DURATION", "6s",
                            "STOKER_LEASE_MARGIN", "2s",
                            "STOKER_LEASE_HEARTBEAT", "1s",
                            "STOKER_LEASE_INVENTORY", "5s",
                            "STOKER_RETRY_BACKOFF_FIRST", "100ms",
                            "STOKER_RETRY_BACKOFF_MOST", "1s")));
        PoweredHost host =
            PoweredHost.insteadOf(
                stack.processes().child("agent-" + HOST), disks.disk(HOST), folder);
        TopicLog<Void> follower =
            new TopicLog<>(
                stack.processes().info().kafka(),
                stack.topics().status(),
                record -> {
                  statuses.see(record.key(), record.value(), record.timestamp());
                  return null;
                })) {
      for (int cut = 0; cut < CUTS; cut++) {
        int ended = statuses.ends().size();
        feed(stack, load, statuses);
        await("some to have ended")
            .atMost(PATIENCE)
            .until(() -> statuses.ends().size() > ended + 2);
        Thread.sleep(random.nextInt(LONGEST_MS));
        await("one to run, and another one to wait")
            .atMost(PATIENCE)
            .until(
                () -> {
                  feed(stack, load, statuses);
                  return any(stack, RequestState.RUNNING) && any(stack, RequestState.QUEUED);
                });
        host.losePower();
      }
      await("all requests to end")
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(statuses.unended(load.all().keySet())).isEmpty());
      List<String> broken = new ArrayList<>(statuses.broken());
      broken.addAll(Verdict.of(stack, load.all(), statuses.ends(), notes));
      assertThat(broken).isEmpty();
      await("the last statuses to be the newest")
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(statuses.overtaken()).isEmpty());
      assertThat(load.orphans()).as("processes left behind").isEmpty();
    }
  }

  /** Keeps more open than can run at once. */
  private static void feed(StokerStack stack, OutsideLoad load, StatusRules statuses) {
    while (statuses.unended(load.all().keySet()).size() < OPEN) {
      load.wave().forEach(one -> stack.post(one.posted()));
    }
  }

  private static boolean any(StokerStack stack, RequestState state) {
    return stack.statuses().newest().values().stream().anyMatch(last -> last.state() == state);
  }
}
