package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpareFoldersTest {
  @TempDir Path data;
  private SpareFolders spares;

  @BeforeEach
  void open() throws IOException {
    spares = new SpareFolders(data, Files.createFile(data.resolve("file")));
  }

  @Test
  void whatIsKeptIsEmptyAndUnclaimed() throws IOException {
    Path run = run("run");
    Files.writeString(run.resolve("result.json"), "1");
    Files.createDirectory(run.resolve("folder"));

    assertThat(spares.keep(run)).isTrue();
    assertThat(run).doesNotExist();
    Path next = data.resolve("next");
    assertThat(spares.take(next))
        .hasValue(Set.of("stdout", "stderr", "params.json", "unclaimed", "work"));
    assertThat(spares.take(data.resolve("none"))).isEmpty();

    try (var files = Files.list(next)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrder("stdout", "stderr", "params.json", "unclaimed", "work");
    }
    for (String file : new String[] {"stdout", "stderr", "unclaimed"}) {
      assertThat(next.resolve(file)).isEmptyFile();
    }
  }

  @Test
  void aRunThatNobodyClaimedIsNotKept() throws IOException {
    Path run = run("run");
    Files.delete(run.resolve("state"));
    assertThat(spares.keep(run)).isFalse();
  }

  @Test
  void aWorkFolderInUseIsNotKept() throws IOException {
    Path run = run("run");
    Files.createFile(run.resolve("work/model.bin"));
    assertThat(spares.keep(run)).isFalse();
  }

  @Test
  void oneWithFoldersInItIsNotKept() throws IOException {
    Path run = run("run");
    Files.createDirectories(run.resolve("folder/in"));
    assertThat(spares.keep(run)).isFalse();
  }

  @Test
  void oneWithManyFilesIsNotKept_andMostOfThemAreLeftToOthers() throws IOException {
    Path run = run("run");
    for (int n = 0; n < 1_000; n++) {
      Files.createFile(run.resolve("left-" + n));
    }
    assertThat(spares.keep(run)).isFalse();
    assertThat(run.toFile().list()).hasSizeGreaterThan(900);
  }

  @Test
  void aFileThatHasAnotherNameTooIsNotKept() throws IOException {
    Path run = run("run");
    Files.createLink(data.resolve("elsewhere"), run.resolve("stdout"));
    assertThat(spares.keep(run)).isFalse();
    assertThat(data.resolve("elsewhere")).isNotEmptyFile();
  }

  @Test
  void aLinkInPlaceOfAFileIsNotFollowed() throws IOException {
    Path run = run("run");
    Path precious = Files.writeString(data.resolve("precious"), "text");
    Files.delete(run.resolve("stderr"));
    Files.createSymbolicLink(run.resolve("stderr"), precious);
    Path linked = run("linked");
    Files.delete(linked.resolve("work"));
    Files.createSymbolicLink(linked.resolve("work"), data);
    Path other = run("other");
    Files.createSymbolicLink(other.resolve("more"), data);

    assertThat(spares.keep(run)).isFalse();
    assertThat(spares.keep(linked)).isFalse();
    assertThat(spares.keep(other)).isTrue();
    assertThat(precious).hasContent("text");
  }

  @Test
  void aChangedModeIsNotHandedOn() throws IOException {
    for (String what : new String[] {"stdout", "work", "."}) {
      Path run = run("run");
      Files.setPosixFilePermissions(
          run.resolve(what), PosixFilePermissions.fromString("rwxrwxrwx"));
      assertThat(spares.keep(run)).as(what).isFalse();
      RunFolders.delete(run.toFile());
    }
  }

  @Test
  void noMoreAreKeptThanWillBeOfUse() throws IOException {
    for (int i = 0; i < SpareFolders.MOST; i++) {
      assertThat(spares.keep(run("run" + i))).isTrue();
    }
    assertThat(spares.keep(run("one more"))).isFalse();
  }

  @Test
  void anotherAgentBeginsWithNone() throws IOException {
    spares.keep(run("run"));
    SpareFolders later = new SpareFolders(data, data.resolve("file"));
    assertThat(later.take(data.resolve("next"))).isEmpty();
    assertThat(data.resolve("spare")).isEmptyDirectory();
  }

  private Path run(String name) throws IOException {
    Path run = OwnFiles.folder(data.resolve(name));
    OwnFiles.folder(run.resolve("work"));
    for (String file : new String[] {"stdout", "stderr", "params.json", "state"}) {
      Files.writeString(run.resolve(file), "of the run\n");
    }
    return run;
  }
}
