package io.stoker.e2e.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.e2e.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What can be said of the Dockerfiles without a container engine. */
class DockerfilesTest {
  private static final Path FOLDER = Checkout.root().resolve("deploy/docker");

  static List<String> dockerfiles() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith("Dockerfile"))
          .sorted()
          .toList();
    }
  }

  @Test
  void thereIsOneForEachServiceAndKind() throws IOException {
    assertThat(dockerfiles())
        .contains(
            "agent.jvm.Dockerfile",
            "agent.native.Dockerfile",
            "dispatcher.jvm.Dockerfile",
            "dispatcher.native.Dockerfile");
  }

  @ParameterizedTest
  @MethodSource("dockerfiles")
  void standsOnAPinnedBaseWithGlibcAndRunsWithoutRights(String name) throws IOException {
    List<String> bases =
        instructions(name, "FROM ", "ARG BASE=").stream()
            .filter(base -> !base.equals("${BASE}"))
            .map(base -> base.split(" ")[0])
            .toList();
    assertThat(bases)
        .isNotEmpty()
        .allSatisfy(base -> assertThat(base).matches("[a-z/-]+:[0-9]+\\.[0-9]+.*"))
        .allSatisfy(base -> assertThat(base).doesNotContain("alpine").doesNotContain("musl"));
    assertThat(instructions(name, "USER ")).containsExactly("10001:10001");
    assertThat(instructions(name, "ENTRYPOINT ")).hasSize(1);
  }

  /** With {@code --read-only --tmpfs /tmp} an engine copies it there, and it is root's. */
  @ParameterizedTest
  @ValueSource(strings = {"agent.jvm.Dockerfile", "dispatcher.jvm.Dockerfile"})
  void whatTheRehearsalLeavesInTmp_isDeletedInTheSameLayer(String name) throws IOException {
    String text = Files.readString(FOLDER.resolve(name)).replace("\\\n", "");
    assertThat(text.lines().filter(line -> line.startsWith("RUN ") && line.contains("rehearse")))
        .hasSize(1)
        .allMatch(line -> line.endsWith("&& find /tmp -mindepth 1 -delete"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"agent.jvm.Dockerfile", "agent.native.Dockerfile"})
  void agentsAskForTheDriversComputeAndUtilityParts(String name) throws IOException {
    assertThat(Files.readString(FOLDER.resolve(name)))
        .contains("NVIDIA_DRIVER_CAPABILITIES=compute,utility")
        .contains("STOKER_AGENT_DATA=/var/lib/stoker");
  }

  @ParameterizedTest
  @ValueSource(strings = {"dispatcher.jvm.Dockerfile", "dispatcher.native.Dockerfile"})
  void dispatchersListenOnAllAddressesWithTokensAndHaveHealthOnAPortOfItsOwn(String name)
      throws IOException {
    assertThat(Files.readString(FOLDER.resolve(name)))
        .contains("STOKER_HTTP_HOST=0.0.0.0", "STOKER_HTTP_MANAGEMENT_PORT=9000")
        .contains("EXPOSE 8080 9000")
        .doesNotContain("STOKER_HTTP_OPEN");
  }

  @ParameterizedTest
  @MethodSource("dockerfiles")
  void copiesOnlyWhatTheContextHolds(String name) throws IOException {
    List<String> ignored = Files.readAllLines(Checkout.root().resolve(".dockerignore"));
    assertThat(instructions(name, "COPY "))
        .filteredOn(copy -> !copy.startsWith("--from="))
        .isNotEmpty()
        .allSatisfy(
            copy -> {
              String source = copy.replaceFirst("^--chmod=\\S+ ", "").split(" ")[0];
              assertThat(ignored)
                  .anyMatch(
                      line ->
                          line.startsWith("!")
                              && source.startsWith(line.substring(1).replace("**", "")));
            });
  }

  /** The rest of each line that starts with one of these. */
  private static List<String> instructions(String name, String... starts) throws IOException {
    return Files.readAllLines(FOLDER.resolve(name)).stream()
        .flatMap(
            line -> Stream.of(starts).filter(line::startsWith).map(s -> line.substring(s.length())))
        .toList();
  }
}
