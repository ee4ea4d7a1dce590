package io.stoker.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.shell.Shell.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher in a folder of its own, with a JDK and a build that only say what they are asked.
 */
class LauncherTest {
  private static final List<String> BUILT =
      List.of(
          "cli/target/cli-1.jar",
          "cli/target/lib/some.jar",
          "dispatcher/service/target/quarkus-app/quarkus-run.jar",
          "gpu-agent/service/target/quarkus-app/quarkus-run.jar");

  @TempDir Path folder;

  private Path home;
  private Path jdk;

  @BeforeEach
  void layOut() throws IOException {
    home = Files.createDirectories(folder.toRealPath().resolve("the home"));
    Files.copy(Shell.root().resolve("stoker"), home.resolve("stoker"));
    Files.createDirectories(home.resolve(".mvn"));
    Files.copy(Shell.root().resolve(".mvn/find-jdk.sh"), home.resolve(".mvn/find-jdk.sh"));
    jdk = Shell.jdk(folder.resolve("jdk"), "21.0.1");
    String make =
        BUILT.stream()
            .map(file -> "mkdir -p \"$(dirname %1$s)\" && : > %1$s".formatted(file))
            .reduce("echo \"building: $*\"", (all, next) -> all + " && " + next);
    Shell.program(home.resolve("mvnw"), make);
  }

  @Test
  void buildsOnceAndThenRuns() throws Exception {
    Result first = launch(home.resolve("stoker"), "info", "--json");
    Result second = launch(home.resolve("stoker"), "info", "--json");

    assertThat(first.exitCode()).isZero();
    assertThat(first.output())
        .contains(
            "stoker: building",
            "building: -q -B -DskipTests -pl cli,dispatcher/service,gpu-agent/service -am package")
        .contains("java of " + jdk)
        .contains("-Dstoker.home=" + home)
        .endsWith("io.stoker.cli.Main info --json");
    assertThat(second.output()).doesNotContain("building").endsWith("Main info --json");
  }

  @Test
  void worksThroughALinkFromAnyFolder() throws Exception {
    launch(home.resolve("stoker"), "info");
    Path links = Files.createDirectories(folder.resolve("bin"));
    Files.createSymbolicLink(links.resolve("absolute"), home.resolve("stoker"));
    Files.createSymbolicLink(links.resolve("stoker"), Path.of("absolute"));

    assertThat(launch(links.resolve("stoker"), "info").output())
        .contains("-Dstoker.home=" + home)
        .endsWith("Main info");
  }

  @Test
  void passesArgumentsOnAsTheyAre() throws Exception {
    launch(home.resolve("stoker"), "info");
    Shell.program(jdk.resolve("bin/java"), "for last; do :; done; echo \"[$last] of $#\"");

    assertThat(launch(home.resolve("stoker"), "run", "--", "a  b 'c' $d *").output())
        .startsWith("[a  b 'c' $d *]");
  }

  /** It runs commands, which must not reach the stack that people work with. */
  @Test
  void theArchiveIsMadeWithoutTheStackThatVariablesName() throws Exception {
    Path calls = folder.resolve("calls");
    Shell.program(
        jdk.resolve("bin/java"),
        "for last; do :; done; echo \"$last of [$STOKER_URL][$STOKER_BOOTSTRAP]\" >> " + calls);

    Result told =
        launch(
            Map.of("STOKER_URL", "http://theirs", "STOKER_BOOTSTRAP", "theirs:9092"),
            home.resolve("stoker"),
            "list");

    assertThat(told.exitCode()).isZero();
    assertThat(Files.readAllLines(calls))
        .contains("io.stoker.cli.Warmup of [][]", "list of [http://theirs][theirs:9092]");
  }

  /** Should somebody start it otherwise. */
  @Test
  void theArchiveIsNotMadeAtAllWithTheStackThatAVariableNames() throws Exception {
    List<String> warmup =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "io.stoker.cli.Warmup");

    Result refused = Shell.run(Map.of("STOKER_URL", "http://127.0.0.1:1"), warmup);

    assertThat(refused.exitCode()).isNotZero();
    assertThat(refused.output()).contains("a variable names somebody else's stack");
    Result made = Shell.run(Map.of("STOKER_URL", ""), warmup);
    assertThat(made.exitCode()).as(made.output()).isZero();
  }

  @Test
  void saysThatTheBuildFailed() throws Exception {
    Shell.program(home.resolve("mvnw"), "echo broken; exit 1");

    Result failed = launch(home.resolve("stoker"), "info");

    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.output()).contains("broken", "stoker: the build failed");
  }

  private Result launch(Path stoker, String... words) throws Exception {
    return launch(Map.of(), stoker, words);
  }

  private Result launch(Map<String, String> variables, Path stoker, String... words)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(stoker.toString()));
    command.addAll(List.of(words));
    Map<String, String> all = new HashMap<>(variables);
    all.put("PATH", "/usr/bin:/bin");
    all.put("JAVA_HOME", jdk.toString());
    all.put("HOME", folder.toString());
    return Shell.run(all, command);
  }
}
