package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.Input;
import io.stoker.agent.spawn.OwnProcess;
import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.message.ToAgent.Place;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Agent and spawner are killed at once, while jobs run. */
@Timeout(300)
class BothKilledTest {
  @TempDir Path data;
  private Process agent;
  private Optional<RunnerFixture> next = Optional.empty();

  @BeforeEach
  void start() throws IOException {
    agent =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dstoker.test.owner=" + RunnerFixture.OWNER,
                "-cp",
                System.getProperty("java.class.path"),
                AgentStandIn.class.getName(),
                data.toString())
            .redirectError(data.resolve("agent.err").toFile())
            .start();
    BufferedReader said = agent.inputReader();
    String line = said.readLine();
    while (line != null && !line.equals("running")) {
      line = said.readLine();
    }
    assertThat(line).isEqualTo("running");
  }

  @AfterEach
  void stop() throws Exception {
    agent.destroyForcibly();
    new ProcessScan(RunnerFixture.OWNER)
        .scan()
        .ofOthersThan(Set.of())
        .forEach(pid -> ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly));
    next.ifPresent(RunnerFixture::close);
    Optional<ProcessHandle> watchdog =
        OwnProcess.read(data.resolve("watchdog")).flatMap(found -> ProcessHandle.of(found.pid()));
    if (watchdog.isPresent()) {
      watchdog.get().destroy();
      // It ends the keepers that the folder names, which is deleted after this.
      watchdog.get().onExit().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void whatEndsAndWhatRunsOnTellTheirExitCodesToTheNextAgent() throws Exception {
    OwnProcess ended = process("job3-1");
    OwnProcess running = process("job4-1");
    killBoth();
    // The last thread of the spawner to go hands it over, and the first may be gone before.
    long keeper = keepers().getFirst().pid();
    await().until(() -> OwnProcess.stat(running.pid()).orElseThrow().parent() == keeper);
    Files.createFile(data.resolve("end3"));
    await().until(() -> !ended.alive());

    RunnerFixture host = new RunnerFixture(data);
    next = Optional.of(host);
    adopt(host, "job3");
    adopt(host, "job4");
    Input.Exited first = host.next(Input.Exited.class);
    assertThat(first.key().stem()).isEqualTo("job3");
    assertThat(first.end().exitCode()).hasValue(3);
    Files.createFile(data.resolve("end4"));
    Input.Exited second = host.next(Input.Exited.class);
    assertThat(second.key().stem()).isEqualTo("job4");
    assertThat(second.end().exitCode()).hasValue(4);

    assertThat(RunState.read(data.resolve("runs/job4-1/state")))
        .isEqualTo(new RunState.Ended(running.pid(), running.startTicks(), 4, false));
    for (String job : List.of("job3", "job4")) {
      List<String> written = Files.readAllLines(data.resolve("runs/" + job + "-1/stdout"));
      assertThat(written)
          .isEqualTo(IntStream.rangeClosed(1, written.size()).mapToObj(i -> "line " + i).toList());
      assertThat(logged(host, job)).isEqualTo(String.join("\n", written) + "\n");
    }
    await().untilAsserted(() -> assertThat(keepers()).hasSize(1));
  }

  @Test
  void withoutANextAgentTheWatchdogKeepsTheExitCodesAndNothingOfItIsLeft() throws Exception {
    OwnProcess watchdog = OwnProcess.read(data.resolve("watchdog")).orElseThrow();
    OwnProcess keeper = keepers().getFirst();
    killBoth();
    Files.createFile(data.resolve("end3"));
    Files.createFile(data.resolve("end4"));
    await().until(() -> !watchdog.alive());
    await().until(() -> !keeper.alive()); // it was killed just before, and may wait for a core
    assertThat(keepers()).isEmpty();
    for (int code : new int[] {3, 4}) {
      assertThat(RunState.read(data.resolve("runs/job" + code + "-1/state")))
          .isInstanceOfSatisfying(
              RunState.Ended.class, ended -> assertThat(ended.exitCode()).isEqualTo(code));
    }
  }

  /**
   * Whoever asks the kernel for their exit codes then, on most machines its first process, tells
   * nobody.
   */
  @Test
  void withTheirKeeperKilledTooTheyEndAllTheSame() throws Exception {
    OwnProcess ended = process("job3-1");
    OwnProcess keeper = keepers().getFirst();
    killBoth();
    keeper.kill();
    await().until(() -> !keeper.alive());
    Files.createFile(data.resolve("end3"));
    await().until(() -> !ended.alive());

    RunnerFixture host = new RunnerFixture(data);
    next = Optional.of(host);
    adopt(host, "job3");
    adopt(host, "job4");
    Input.Exited first = host.next(Input.Exited.class);
    assertThat(first.key().stem()).isEqualTo("job3");
    assertThat(first.end().exitCode()).isIn(OptionalInt.empty(), OptionalInt.of(3));
    Files.createFile(data.resolve("end4"));
    Input.Exited second = host.next(Input.Exited.class);
    assertThat(second.key().stem()).isEqualTo("job4");
    assertThat(second.end().exitCode()).isIn(OptionalInt.empty(), OptionalInt.of(4));
  }

  private void killBoth() throws Exception {
    OwnProcess spawner = Spawners.only(data);
    agent.destroyForcibly().waitFor();
    spawner.kill();
    await().until(() -> !spawner.alive());
  }

  private void adopt(RunnerFixture host, String job) {
    Place place = host.place(job, "sh", "-c", "the earlier agent knows");
    host.runner.adopt(place, Optional.empty(), 1);
  }

  private OwnProcess process(String run) throws IOException {
    RunState.Alive alive = (RunState.Alive) RunState.read(data.resolve("runs/" + run + "/state"));
    return new OwnProcess(alive.pid(), alive.startTicks());
  }

  private List<OwnProcess> keepers() throws IOException {
    return Spawners.keepers(data);
  }

  /** What both agents sent, put together by its numbers, as a reader does. */
  private String logged(RunnerFixture host, String job) throws Exception {
    Map<Integer, LogChunk> chunks = new TreeMap<>();
    int first = 0;
    for (String line : Files.readAllLines(data.resolve(AgentStandIn.LOGS))) {
      LogChunk chunk = Json.read(line.getBytes(StandardCharsets.UTF_8), LogChunk.class);
      if (chunk.job().equals(job)) {
        chunks.put(chunk.n(), chunk);
        first++;
      }
    }
    for (LogChunk chunk : host.logs) {
      if (chunk.job().equals(job)) {
        assertThat(chunk.n()).as("behind what was taken").isGreaterThanOrEqualTo(first - 1);
        LogChunk before = chunks.putIfAbsent(chunk.n(), chunk);
        assertThat(before == null ? chunk.text() : before.text()).isEqualTo(chunk.text());
      }
    }
    assertThat(chunks.keySet()).containsExactlyElementsOf(numbers(chunks.size()));
    return chunks.values().stream().map(LogChunk::text).collect(Collectors.joining());
  }

  private static List<Integer> numbers(int size) {
    return IntStream.range(0, size).boxed().toList();
  }
}
