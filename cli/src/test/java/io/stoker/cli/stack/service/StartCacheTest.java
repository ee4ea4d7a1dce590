package io.stoker.cli.stack.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartCacheTest {
  @TempDir Path folder;

  private List<String> flags = List.of("-XX:+UseSerialGC");
  private Path jar;
  private Path kept;

  @BeforeEach
  void jar() throws Exception {
    jar = Files.writeString(folder.resolve("agent.jar"), "classes");
    kept = folder.resolve("cache");
  }

  @Test
  void isMadeOnceAndFoundByTheNext() throws Exception {
    assertThat(cache(25).file()).isEmpty();

    assertThat(cache(25).make(file -> sh("echo made >'" + file + "'"))).isTrue();

    assertThat(cache(25).file()).isPresent();
    assertThat(Files.readString(cache(25).file().orElseThrow())).isEqualTo("made\n");
    assertThat(cache(25).make(file -> sh("exit 7"))).as("nothing is left to do").isTrue();
    assertThat(filesKept()).hasSize(1);
  }

  @Test
  void anotherBuildHasItsOwnAndTheFormersGoes() throws Exception {
    cache(25).make(file -> sh("echo first >'" + file + "'"));
    Path first = cache(25).file().orElseThrow();
    Files.writeString(jar, "other classes");

    assertThat(cache(25).file()).as("what is stale is not used").isEmpty();
    cache(25).make(file -> sh("echo second >'" + file + "'"));

    assertThat(filesKept()).doesNotContain(first).hasSize(1);
  }

  @Test
  void whoRunsItFromElsewhereHasItsOwnBeside() throws Exception {
    cache(25).make(file -> sh("echo first >'" + file + "'"));
    Path first = cache(25).file().orElseThrow();
    jar = Files.writeString(folder.resolve("elsewhere.jar"), "classes");

    cache(25).make(file -> sh("echo second >'" + file + "'"));

    assertThat(first).exists();
    assertThat(filesKept()).hasSize(2);
  }

  @Test
  void thereIsNoneOfFolders() throws Exception {
    jar = Files.createDirectories(folder.resolve("classes"));

    assertThat(cache(25).make(file -> sh("echo made >'" + file + "'"))).isFalse();
  }

  @Test
  void allThatARehearsalMadeGoes() throws Exception {
    cache(25)
        .make(file -> sh("mkdir -p log/topic-0; echo 1 >log/topic-0/x; echo made >'" + file + "'"));

    assertThat(filesKept()).containsExactly(cache(25).file().orElseThrow());
  }

  @Test
  void otherFlagsHaveTheirOwn() throws Exception {
    cache(25).make(file -> sh("echo made >'" + file + "'"));
    flags = List.of("-XX:+UseG1GC");

    assertThat(cache(25).file()).as("a JVM with another collector does not start by it").isEmpty();
  }

  @Test
  void aRehearsalThatFailsOrLeavesNothingMakesNone() throws Exception {
    assertThat(cache(25).make(file -> sh("echo broken >'" + file + "'; exit 1"))).isFalse();
    assertThat(cache(25).make(file -> sh("exit 0"))).isFalse();
    assertThat(cache(25).make(file -> sh("exit 1", "echo broken >'" + file + "'"))).isFalse();
    assertThat(cache(25).file()).isEmpty();
    assertThat(filesKept()).isEmpty();
  }

  @Test
  void whatIsGivenUpLeavesNothingRunning() throws Exception {
    Path pid = folder.resolve("pid");
    new ProcessBuilder("mkfifo", pid.toString()).start().waitFor();
    Thread making =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    cache(25).make(file -> sh("echo $$ >'" + pid + "'; exec sleep 600"));
                  } catch (Exception e) {
                    Thread.currentThread().interrupt();
                  }
                });
    long rehearsal = Long.parseLong(Files.readString(pid).strip());

    making.interrupt();
    making.join();

    assertThat(ProcessHandle.of(rehearsal).filter(ProcessHandle::isAlive)).isEmpty();
    assertThat(filesKept()).isEmpty();
  }

  @Test
  void oneAtATimeMakesIt() throws Exception {
    StartCache.Rehearsal second =
        file -> {
          throw new AssertionError("somebody is at it");
        };

    boolean made =
        cache(25)
            .make(
                file -> {
                  assertThat(makeUnchecked(second)).isFalse();
                  return sh("echo made >'" + file + "'");
                });

    assertThat(made).isTrue();
    assertThat(filesKept()).containsExactly(cache(25).file().orElseThrow());
  }

  private boolean makeUnchecked(StartCache.Rehearsal rehearsal) {
    try {
      return cache(25).make(rehearsal);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatOthersDidNotFinishGoesInTime() throws Exception {
    Path fresh = Files.createDirectories(kept.resolve(".rehearsal-1"));
    Path old = Files.createDirectories(kept.resolve(".rehearsal-2"));
    Files.createFile(old.resolve("log"));
    Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(3600)));

    cache(25).make(file -> sh("echo made >'" + file + "'"));

    assertThat(old).doesNotExist();
    assertThat(fresh).as("somebody may be at it").exists();
  }

  @Test
  void olderJvmsDoWithout() throws Exception {
    assertThat(cache(24).make(file -> sh("echo made >'" + file + "'"))).isFalse();
    assertThat(cache(24).file()).isEmpty();
    assertThat(kept).doesNotExist();
  }

  @Test
  void theAgentRunsByItsJarUntilThereIsOne() throws Exception {
    Path app = Files.createDirectories(folder.resolve("app"));
    Path run = app.resolve("quarkus-run.jar");
    Manifest manifest = new Manifest();
    Attributes says = manifest.getMainAttributes();
    says.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    says.putValue("Add-Opens", "java.base/java.lang java.base/java.io");
    says.putValue("Enable-Native-Access", "ALL-UNNAMED");
    new JarOutputStream(Files.newOutputStream(run), manifest).close();
    for (String one :
        List.of("lib/main/b.jar", "lib/main/a.jar", "quarkus/transformed-bytecode.jar")) {
      Files.createDirectories(app.resolve(one).getParent());
      Files.createFile(app.resolve(one));
    }
    ServiceProgram agent = ServiceProgram.agent(run, kept);
    assertThat(agent.command(List.of("-Dx=y"))).contains("-Dx=y", "-jar", run.toString());

    if (agent.onClassPath().startCache().make(file -> sh("echo made >'" + file + "'"))) {
      List<String> command = agent.command(List.of("-Dx=y"));
      assertThat(command)
          .doesNotContain("-jar")
          .contains(
              "-Dx=y", "-XX:AOTCache=" + agent.onClassPath().startCache().file().orElseThrow())
          .contains(
              "--add-opens=java.base/java.lang=ALL-UNNAMED",
              "--add-opens=java.base/java.io=ALL-UNNAMED",
              "--enable-native-access=ALL-UNNAMED")
          .endsWith("io.stoker.agent.app.AgentMain");
      assertThat(command).contains("@" + agent.onClassPath().startCache().classPath());
      assertThat(agent.onClassPath().startCache().classPath())
          .hasContent(
              "-cp \"%1$s/quarkus/transformed-bytecode.jar:%1$s/lib/main/a.jar:%1$s/lib/main/b.jar\""
                  .formatted(app));
    }
  }

  private StartCache cache(int jdk) throws Exception {
    return new StartCache(new StartCache.Place(kept, "agent"), List.of(jar), flags, jdk);
  }

  private List<Path> filesKept() throws Exception {
    try (Stream<Path> files = Files.list(kept)) {
      return files.toList();
    }
  }

  private static List<List<String>> sh(String... scripts) {
    return Stream.of(scripts).map(script -> List.of("/bin/sh", "-c", script)).toList();
  }
}
