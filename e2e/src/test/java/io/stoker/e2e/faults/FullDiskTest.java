package io.stoker.e2e.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.stack.StackOptions;
import io.stoker.cli.stack.child.Child;
import io.stoker.common.fixture.SmallDisk;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A job fills the disk on which the agent's data is: a real one, of 200 MiB. */
@Timeout(1_200)
@BesideTheSharedStack
@Order(2)
class FullDiskTest {
  private static final Duration PATIENCE = StatusLog.PATIENCE;

  /** Far longer than an agent takes to start again. */
  private static final Duration LEASE = Duration.ofSeconds(40);

  private static final Duration MARGIN = Duration.ofSeconds(5);
  private static final String AGENT = "agent-host-1";

  /** Takes every byte that becomes free, until it is let go. */
  private static final String GREEDY =
      "until [ -e '%s' ]; do dd if=/dev/zero bs=1M >>big 2>/dev/null;"
          + " dd if=/dev/zero bs=1 count=4096 >>big 2>/dev/null; sleep 0.2; done";

  @TempDir Path folder;

  @Test
  void whoFillsItIsEndedAndNobodyElseIs() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 200, 0);
        StokerStack stack = start("full-disk", disk, Map.of())) {
      stack.post(neighbour("neighbour"));
      stack.statuses().await("neighbour", RequestState.RUNNING);
      stack.post(Posted.script("filler", GREEDY.formatted(folder.resolve("never"))));

      RequestStatus filler = stack.statuses().awaitEnd("filler");
      assertThat(filler.state()).isEqualTo(RequestState.FAILED);
      assertThat(filler.code()).isEqualTo(Code.LIMIT_EXCEEDED);
      assertThat(filler.reason()).contains("that a job may write here");
      stack.post(Posted.script("next", "exit 0"));
      assertThat(stack.statuses().awaitEnd("next").state()).isEqualTo(RequestState.SUCCEEDED);
      Files.createFile(folder.resolve("neighbour"));
      assertEndsWell(stack, "neighbour");
      assertThat(agent(stack).deaths()).as("the agent lived on").isZero();
    }
  }

  @Test
  void whileItIsFullTheHostTakesNothingAndWhatRunsGoesOnAndEndsWell() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 200, 0);
        StokerStack stack = start("full-for-long", disk, Map.of("STOKER_AGENT_DISK_SHARE", "1"))) {
      stack.post(neighbour("neighbour"), neighbour("ends-meanwhile"));
      stack.statuses().await("neighbour", RequestState.RUNNING);
      stack.statuses().await("ends-meanwhile", RequestState.RUNNING);
      Path enough = folder.resolve("enough");
      stack.post(Posted.script("filler", GREEDY.formatted(enough)));
      Rest rest = new Rest(stack);
      awaitUnusable(rest);
      awaitNoByte(disk);
      long full = bootMs();

      Files.createFile(folder.resolve("ends-meanwhile"));
      assertEndsWell(stack, "ends-meanwhile");
      awaitBeat("neighbour", full + LEASE.plus(MARGIN).toMillis());
      assertThat(agent(stack).deaths()).as("the agent lived on").isZero();

      long killed = agent(stack).pid().orElseThrow();
      agent(stack).kill();
      agent(stack).awaitAnother(killed, PATIENCE);
      awaitBeat("neighbour", bootMs() + LEASE.plus(MARGIN).toMillis());
      awaitUnusable(rest);
      assertThat(agent(stack).deaths()).as("the next one stays").isEqualTo(1);
      stack.post(Posted.script("next", "exit 0"));
      stack.statuses().await("next", RequestState.QUEUED);

      Files.createFile(enough);
      assertEndsWell(stack, "filler");
      assertEndsWell(stack, "next");
      Files.createFile(folder.resolve("neighbour"));
      assertEndsWell(stack, "neighbour");
    }
  }

  @Test
  void onADiskThatFailsTheHostTakesNothingAndWhatRanThereRunsAgainOnceItCan() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 200, 0);
        StokerStack stack = start("read-only", disk, Map.of())) {
      stack.post(counted("runs"));
      stack.statuses().await("runs", RequestState.RUNNING);
      disk.fail();
      Rest rest = new Rest(stack);
      awaitUnusable(rest);
      assertThat(agent(stack).deaths()).as("the agent lived on").isZero();
      stack.post(counted("next"));
      stack.statuses().await("next", RequestState.QUEUED);
      awaitEnded("runs"); // since its deadline cannot be moved

      long before = agent(stack).pid().orElseThrow();
      List<ProcessHandle> machine = Machine.stop(agent(stack));
      Machine.end(machine);
      disk.again();
      agent(stack).awaitAnother(before, PATIENCE);
      Files.createFile(folder.resolve("runs"));
      Files.createFile(folder.resolve("next"));
      for (String id : List.of("runs", "next")) {
        RequestStatus end = stack.statuses().awaitEnd(id);
        assertThat(end.state()).as("%s: %s", id, end.reason()).isEqualTo(RequestState.SUCCEEDED);
      }
      assertThat(folder.resolve("twice")).doesNotExist();
      assertThat(Files.readAllLines(folder.resolve("next.begins"))).hasSize(1);
    }
  }

  /** Notes each of its attempts, and whether two of them run at a time. */
  private Posted counted(String id) {
    String script =
        """
        exec 9>>%1$s.lock
        flock -n 9 || echo %1$s >>%2$s
        echo $STOKER_ATTEMPT >>%1$s.begins
        until [ -e %1$s ]; do sleep 0.1; done
        """;
    return Posted.script(id, script.formatted(folder.resolve(id), folder.resolve("twice")));
  }

  private void awaitEnded(String id) {
    await("job " + id + " to be ended")
        .atMost(PATIENCE)
        .until(
            () ->
                new ProcessBuilder("flock", "-n", folder.resolve(id + ".lock").toString(), "true")
                        .start()
                        .waitFor()
                    == 0);
  }

  private static void assertEndsWell(StokerStack stack, String id) {
    RequestStatus end = stack.statuses().awaitEnd(id);
    assertThat(end.state()).as("%s: %s", id, end.reason()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).as(id).isEqualTo(1);
  }

  /** Shows elsewhere that it runs, until it is let go. */
  private Posted neighbour(String id) {
    return Posted.script(
        id,
        "until [ -e '%s' ]; do cat /proc/uptime >'%s'; sleep 0.3; done"
            .formatted(folder.resolve(id), folder.resolve(id + ".beat")));
  }

  private void awaitBeat(String id, long after) {
    await(id + " to run on")
        .atMost(PATIENCE)
        .until(
            () -> {
              String beat = Files.readString(folder.resolve(id + ".beat"));
              return !beat.isEmpty() && ms(beat) > after;
            });
  }

  private static void awaitUnusable(Rest rest) {
    await("the host to take nothing new")
        .atMost(PATIENCE)
        .ignoreExceptions()
        .until(
            () -> {
              JsonNode host = rest.json("/hosts").path("hosts").path(0);
              return host.path("state").asText().equals("UP")
                  && !host.path("usable").asBoolean()
                  && host.path("reason").asText().contains("takes nothing new for now");
            });
  }

  private static void awaitNoByte(SmallDisk disk) {
    await("the disk to be full")
        .atMost(PATIENCE)
        .until(() -> disk.root().toFile().getUsableSpace() < 4096);
  }

  private static long bootMs() throws Exception {
    return ms(Files.readString(Path.of("/proc/uptime")));
  }

  private static long ms(String uptime) {
    return new BigDecimal(uptime.split(" ")[0]).movePointRight(3).longValue();
  }

  private static Child agent(StokerStack stack) {
    return stack.processes().child(AGENT);
  }

  private static StokerStack start(String name, SmallDisk disk, Map<String, String> more)
      throws Exception {
    Map<String, String> agent = new HashMap<>(StokerStack.WITHOUT_GPUS);
    agent.put("STOKER_AGENT_DATA", disk.root().resolve(SmallDisk.DATA).toString());
    agent.put("STOKER_AGENT_DISK_FREE_FLOOR", "40MiB");
    agent.put("STOKER_AGENT_DISK_REFUSE_BELOW", "30MiB");
    agent.put("STOKER_AGENT_DISK_LOOK_EVERY", "1s");
    agent.putAll(more);
    return StokerStack.start(
        name,
        StackOptions.DEFAULT
            .withAgentEnvironment(agent)
            .withDispatcherEnvironment(
                Map.of(
                    "STOKER_LEASE_DURATION", LEASE.toSeconds() + "s",
                    "STOKER_LEASE_MARGIN", MARGIN.toSeconds() + "s",
                    "STOKER_LEASE_HEARTBEAT", "1s")));
  }
}
