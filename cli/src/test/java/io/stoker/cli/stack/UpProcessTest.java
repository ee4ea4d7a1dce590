package io.stoker.cli.stack;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.stoker.cli.Main;
import io.stoker.cli.local.DataFolder;
import io.stoker.cli.local.Home;
import io.stoker.cli.local.StackSettings;
import io.stoker.cli.outcome.ExitCode;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.stack.child.Signals;
import io.stoker.cli.testing.StandIn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * {@code stoker up} as people run it: a process of its own, killed and stopped from outside. Kafka,
 * Postgres and Redis are real; dispatchers and agents are stand-ins.
 */
@Execution(ExecutionMode.CONCURRENT)
class UpProcessTest {
  private static final long PATIENCE_SECONDS = 90;

  @TempDir Path folder;

  private Path ends;

  @BeforeEach
  void layOut() throws IOException {
    StandIn.install(folder.resolve("home"));
    ends = folder.resolve("ends");
  }

  @Test
  void nothingOutlivesItAndItGoesOnWhereItStopped() throws Exception {
    Process first = up();
    try {
      String readyLine = awaitReady(first);
      JsonNode info = info();
      assertThat(readyLine)
          .contains("bootstrap=" + info.get("bootstrap").asText())
          .contains("url=" + info.get("url").asText())
          .contains("redis=" + info.get("redis").asText().replaceFirst(":[^:@]*@", ""));
      assertThat(pids(info, "up")).containsExactly(first.pid());
      assertThat(pids(info, "dispatcher")).hasSize(2);
      assertThat(pids(info, "agent")).hasSize(2);
      assertThatSecondUpIsRefused(first.pid());
      assertThatAKilledDispatcherComesBack(info);
      assertThatAllEndAfterItIsKilled(first);
    } finally {
      first.destroyForcibly();
    }
    // As after a power failure.
    Files.write(new DataFolder(folder.resolve("my data")).runningFile(), new byte[0]);
    assertThat(run("info").exitCode()).isEqualTo(ExitCode.UNREACHABLE);
    Files.deleteIfExists(ends);

    Process again = up();
    try {
      awaitReady(again);
      assertThat(run("topics", "create").output()).as("topics that were lost").isEmpty();
      assertThatDownStopsAllInOrder(again);
    } finally {
      again.destroyForcibly();
    }
  }

  @Test
  void whatIsRefusedBeforeAnythingStartsEndsWithTheExitCodeOfThat() throws Exception {
    DataFolder data = new DataFolder(folder.resolve("my data"));
    data.create();
    StackSettings.fresh("cluster", false).write(data);

    Finished secure = run("up", "--secure");

    assertThat(secure.output()).contains("was made without --secure");
    assertThat(secure.exitCode()).isEqualTo(ExitCode.USAGE);
  }

  private void assertThatSecondUpIsRefused(long holder) throws Exception {
    Finished second = run("up");

    assertThat(second.exitCode()).isEqualTo(ExitCode.USAGE);
    assertThat(second.output()).contains("already runs", "pid " + holder);
  }

  private void assertThatAKilledDispatcherComesBack(JsonNode before) throws Exception {
    long killed = pids(before, "dispatcher").get(0);
    ProcessHandle dispatcher = ProcessHandle.of(killed).orElseThrow();

    dispatcher.destroyForcibly();
    dispatcher.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);

    // For a moment it is still taken for alive.
    JsonNode after = info();
    for (int i = 0; !haveTwoWithout(killed, after) && i < PATIENCE_SECONDS; i++) {
      after = info();
    }
    assertThat(pids(after, "dispatcher")).hasSize(2).doesNotContain(killed);
    assertThat(after.get("url")).isEqualTo(before.get("url"));
  }

  private static boolean haveTwoWithout(long killed, JsonNode info) {
    List<Long> dispatchers = pids(info, "dispatcher");
    return dispatchers.size() == 2 && !dispatchers.contains(killed);
  }

  private void assertThatAllEndAfterItIsKilled(Process up) throws Exception {
    JsonNode info = info();
    List<ProcessHandle> children = children(info);
    assertThat(children).hasSize(7);
    Signals.send("STOP", pids(info, "kafka").get(0));
    Signals.send("STOP", pids(info, "agent").get(0));

    up.destroyForcibly();

    for (ProcessHandle child : children) {
      child.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }
  }

  private void assertThatDownStopsAllInOrder(Process up) throws Exception {
    List<ProcessHandle> children = children(info());

    assertThat(run("down").exitCode()).isEqualTo(ExitCode.DONE);

    assertThat(up.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(up.exitValue()).as("exit code after down").isEqualTo(ExitCode.DONE);
    assertThat(children).hasSize(7).noneMatch(ProcessHandle::isAlive);
    assertThat(ends).hasContent("agent\nagent\ndispatcher\ndispatcher");
  }

  private JsonNode info() throws Exception {
    Finished info = run("info", "--json");
    assertThat(info.exitCode()).as(info.output()).isEqualTo(ExitCode.DONE);
    return new ObjectMapper().readTree(info.output());
  }

  private static List<Long> pids(JsonNode info, String role) {
    List<Long> pids = new ArrayList<>();
    info.get("pids").get(role).forEach(pid -> pids.add(pid.asLong()));
    return pids;
  }

  private static List<ProcessHandle> children(JsonNode info) {
    return List.of("kafka", "postgres", "redis", "dispatcher", "agent").stream()
        .flatMap(role -> pids(info, role).stream())
        .flatMap(pid -> ProcessHandle.of(pid).stream())
        .toList();
  }

  private static String awaitReady(Process up) {
    Optional<String> ready =
        up.inputReader().lines().filter(line -> line.startsWith("ready ")).findFirst();
    assertThat(ready).as("ready line").isPresent();
    return ready.get();
  }

  private Process up() throws IOException {
    return stoker("up", "--hosts", "2", "--dispatchers", "2");
  }

  private record Finished(int exitCode, String output) {}

  private Finished run(String... words) throws Exception {
    Process process = stoker(words);
    String output = new String(process.getInputStream().readAllBytes());
    return new Finished(process.waitFor(), output.strip());
  }

  private Process stoker(String... words) throws IOException {
    List<String> flags =
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-Dstoker.home=" + folder.resolve("home"),
            "-Dstoker.cache=" + Home.locate().cache());
    ProcessBuilder builder =
        new ProcessBuilder(JavaCommand.ofOwnClassPath(flags, Main.class, List.of(words)))
            .redirectErrorStream(true);
    builder.environment().put("STOKER_DATA", folder.resolve("my data").toString());
    StandIn.OTHERS.forEach(name -> builder.environment().put(name, "of another stack"));
    builder.environment().put(StandIn.ENDS, ends.toString());
    return builder.start();
  }
}
