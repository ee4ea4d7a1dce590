package io.stoker.agent.container;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GivenVariablesTest {
  @TempDir Path folder;

  @Test
  void write_ofLines_isForTheAgentAlone() throws IOException {
    Path file = folder.resolve("variables");
    GivenVariables.of(Map.of("TOKEN", " a=b # '\"c")).write(file);

    assertThat(file).hasContent("TOKEN= a=b # '\"c");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
  }

  @Test
  void of_whatIsNoLine_isInherited() throws IOException {
    Map<String, String> odd =
        Map.of("PEM", "a\nb", "CR", "a\r", "LONG", "x".repeat(70_000), "plain", "1");
    GivenVariables given = GivenVariables.of(odd);

    assertThat(given.inFile()).containsExactly("plain=1");
    assertThat(given.inherited()).containsOnlyKeys("PEM", "CR", "LONG");
    assertThat(given.arguments(Path.of("/f")))
        .containsExactly("--env-file", "/f", "--env", "CR", "--env", "LONG", "--env", "PEM");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"PATH", "LD_PRELOAD", "DOCKER_HOST", "CONTAINER_HOST", "BASH_ENV", "https_proxy"})
  void of_severalLinesUnderANameThatTheEngineHeeds_isRefused(String name) {
    assertThatIOException()
        .isThrownBy(() -> GivenVariables.of(Map.of(name, "/tmp/x.so\n")))
        .withMessageContaining("env." + name + " has several lines");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "A B", "#A", "A\nB", "1A"})
  void of_aNameThatIsNone_isRefused(String name) {
    assertThatIOException()
        .isThrownBy(() -> GivenVariables.of(Map.of(name, "1")))
        .withMessageContaining("no container can be given");
  }
}
