package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.attempt.Input.Exited;
import io.stoker.agent.attempt.Input.NotStarted;
import io.stoker.common.state.FailureCategory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What there is to be run, and what cannot be. */
@Timeout(60)
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
