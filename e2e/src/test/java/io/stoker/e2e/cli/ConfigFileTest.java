package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.e2e.cli.Stoker.Ended;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The file that {@code --config} names: read, and weaker than the environment. */
@Timeout(600)
class ConfigFileTest {
  @TempDir Path folder;

  @ParameterizedTest
  @CsvSource({
    "dispatcher, stoker.lease.duration, STOKER_LEASE_DURATION, stoker.lease.margin",
    "agent, stoker.agent.grace, STOKER_AGENT_GRACE, stoker.agent.disk.look-every"
  })
  void file_isReadAndWeakerThanTheEnvironment(
      String service, String given, String variable, String other) throws Exception {
    Path file = folder.resolve("own.properties");
    Files.writeString(file, "%s=bad-one\n%s=bad-other\n".formatted(given, other));
    Stoker stoker = new Stoker(folder, folder, Map.of(variable, "20s"));

    Ended ended = stoker.run(service, "--config", file.toString());

    assertThat(ended.exitCode()).isNotZero();
    assertThat(ended.out() + ended.err()).contains(other, "bad-other").doesNotContain("bad-one");
  }
}
