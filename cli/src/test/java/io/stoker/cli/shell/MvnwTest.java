package io.stoker.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.cli.shell.Shell.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A mirror in a folder stands for the network. */
class MvnwTest {
  @TempDir Path folder;

  private final Map<String, String> environment = new HashMap<>();

  @BeforeEach
  void layOut() throws IOException {
    environment.put("HOME", folder.resolve("home").toString());
    environment.put("JAVA_HOME", Shell.jdk(folder.resolve("jdk"), "21.0.1").toString());
    environment.put("PATH", folder.resolve("bin") + ":/usr/bin:/bin");
    environment.put("MVNW_REPOURL", folder.resolve("mirror").toUri().toString());
  }

  @Test
  void usesTheMavenOnPathIfItIsRecentEnough() throws Exception {
    mavenOnPath("3.8.7");

    assertThat(mvnw("verify"))
        .isEqualTo(
            new Result(0, "Apache Maven 3.8.7 on %s: verify".formatted(folder.resolve("jdk"))));
  }

  @Test
  void takesNoMavenThatIsTooOld() throws Exception {
    mavenOnPath("3.6.3");

    Result result = mvnw("verify");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output())
        .contains("fetching Apache Maven 3.9", "set MVNW_REPOURL to a mirror");
  }

  @Test
  void refusesAnArchiveWithTheWrongSum() throws Exception {
    mavenOnPath("3.6.3");
    Path archive = folder.resolve("mirror").resolve(mavenPath());
    Files.createDirectories(archive.getParent());
    Files.writeString(archive, "not Maven");

    Result result = mvnw("verify");

    assertThat(result.exitCode()).isEqualTo(1);
    assertThat(result.output()).contains("has SHA-512", "not used");
    try (Stream<Path> left = Files.list(folder.resolve("home/.m2/wrapper/dists"))) {
      assertThat(left).as("left behind").isEmpty();
    }
  }

  private static String mavenPath() throws IOException {
    String version =
        Files.readAllLines(Shell.root().resolve("mvnw")).stream()
            .filter(line -> line.startsWith("MAVEN_VERSION="))
            .findFirst()
            .orElseThrow()
            .split("=")[1];
    return "org/apache/maven/apache-maven/%1$s/apache-maven-%1$s-bin.tar.gz".formatted(version);
  }

  private void mavenOnPath(String version) throws IOException {
    Shell.program(
        folder.resolve("bin/mvn"), "echo \"Apache Maven %s on $JAVA_HOME: $*\"".formatted(version));
  }

  private Result mvnw(String goal) throws Exception {
    return Shell.run(environment, List.of(Shell.root().resolve("mvnw").toString(), goal));
  }
}
