package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.agent.device.Allocation;
import io.stoker.agent.device.CpuSet;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What there is to be run, and what cannot be. */
@Timeout(300)
class LaunchedProgramsTest {
  @TempDir Path data;
  private RunnerFixture host;

  @BeforeEach
  void start() throws IOException {
    host = new RunnerFixture(data);
  }

  @AfterEach
  void stop() {
    host.close();
  }

  @Test
  void aJobThatIsToRunOnSomeProcessorsRunsOnThoseAloneAndTheNextOnAll() throws Exception {
    String all = allowed(Files.readString(Path.of("/proc/self/status")));
    CpuSet first = CpuSet.parse(all.split("[-,]")[0]);
    host.runner.close();
    host.affinity = devices -> devices.isEmpty() ? CpuSet.NONE : first;
    host.startRunner();
    host.runner.launch(
        host.place("near", "cat", "/proc/self/status"),
        new Allocation("near-1", List.of("0"), true, OptionalLong.empty(), 0),
        1);
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(0);
    assertThat(allowed(host.output())).isEqualTo(first.toString());
    host.logs.clear();
    host.sh("anywhere", "cat /proc/self/status");
    host.next(Exited.class);
    assertThat(allowed(host.output())).isEqualTo(all);
  }

  private static String allowed(String status) {
    return status
        .lines()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .map(line -> line.substring(line.indexOf(':') + 1).strip())
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aMissingProgramIsNamedAndNothingIsStarted() throws Exception {
    host.launch(host.place("job", "no-such-program", "x"));
    NotStarted told = host.next(NotStarted.class);
    assertThat(told.cause()).isEqualTo(Cause.LAUNCH);
    assertThat(told.reason()).contains("no-such-program").contains("not found");
  }

  @Test
  void aProgramThatIsNotExecutableIsNamed() throws Exception {
    Path script = Files.writeString(data.resolve("script.txt"), "echo hi");
    host.launch(host.place("job", script.toString()));
    assertThat(host.next(NotStarted.class).reason())
        .contains(script.toString())
        .contains("not executable");
  }

  @Test
  void aProgramThatTheKernelCannotRunIsALaunchFailure() throws Exception {
    Path script = Files.writeString(data.resolve("broken"), "#!/no/such/interpreter\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    host.launch(host.place("job", script.toString()));
    Exited exited = host.next(Exited.class);
    assertThat(exited.end().category()).contains(FailureCategory.LAUNCH);
    assertThat(exited.end().note()).get().asString().contains(script.toString());
  }

  @Test
  void aScriptWithoutInterpreterIsTheShells() throws Exception {
    Path script = Files.writeString(data.resolve("plain"), "echo \"got $1\"; exit 3\n");
    assertThat(script.toFile().setExecutable(true)).isTrue();
    host.launch(host.place("job", script.toString(), "it"));
    assertThat(host.next(Exited.class).end().exitCode()).hasValue(3);
    assertThat(host.output()).isEqualTo("got it\n");
  }
}
