package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.Main;
import io.stoker.cli.stack.child.JavaCommand;
import io.stoker.cli.testing.StandIn;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code stoker agent} around a stand-in for the agent's jar. */
class ServiceCommandTest {
  @TempDir Path home;

  private Path config;

  @BeforeEach
  void layOut() throws IOException {
    home = home.resolve("my home");
    StandIn.install(home);
  }

  @Test
  void handsOnTheConfigurationAndTheExitCode() throws Exception {
    Process agent = start("failing.properties");

    assertThat(agent.inputReader().readLine()).endsWith("config=" + config.toUri());
    assertThat(agent.waitFor()).isEqualTo(5);
  }

  @Test
  void endsTheServiceWhenItIsToldToEnd() throws Exception {
    Process agent = start("waiting.properties");
    BufferedReader out = agent.inputReader();
    long pid = Long.parseLong(out.readLine().replaceFirst("pid=(\\d+) .*", "$1"));
    ProcessHandle service = ProcessHandle.of(pid).orElseThrow();

    agent.destroy();

    assertThat(agent.waitFor(60, TimeUnit.SECONDS)).isTrue();
    // It is seen as alive until whoever it was left to has heard of its end.
    service.onExit().get(60, TimeUnit.SECONDS);
  }

  private Process start(String configName) throws IOException {
    config = Files.createFile(home.resolve(configName));
    return new ProcessBuilder(
            JavaCommand.ofOwnClassPath(
                List.of("-XX:TieredStopAtLevel=1", "-Dstoker.home=" + home),
                Main.class,
                List.of("agent", "--config", config.toString())))
        .redirectErrorStream(true)
        .start();
  }
}
