package io.stoker.agent.runner;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.common.json.Json;
import io.stoker.common.message.ToAgent.Place;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFoldersTest {
  @TempDir Path data;
  private RunFolders folders;

  @BeforeEach
  void open() throws IOException {
    folders = new RunFolders(data, RunUsers.SELF);
  }

  @AfterEach
  void close() {
    folders.close();
  }

  @Test
  void create_afterARunWithLongerParams_holdsTheNewOnesAlone() throws IOException {
    recycled(place("a", Map.of("rate", "0.0001", "layers", "12"), "sweep"));

    RunFiles files = folders.create(RunSpec.of(place("b", Map.of("rate", "1"), "s")));

    assertThat(files.params()).hasContent("{\"rate\":\"1\"}");
    assertThat(files.group()).hasContent("{\"name\":\"s\"}");
    assertThat(folders.state(new AttemptKey("a", 1)).getParent()).doesNotExist();
  }

  @Test
  void create_withoutParamsAfterARunWithSome_leavesNoneOfThem() throws IOException {
    recycled(place("a", Map.of("rate", "1"), "sweep"));

    folders.create(RunSpec.of(place("b", null, null)));

    Path folder = folders.folder(new AttemptKey("b", 1));
    assertThat(folder.resolve("unclaimed")).isEmptyFile();
    assertThat(folder.resolve("params.json")).doesNotExist();
    assertThat(folder.resolve("group.json")).doesNotExist();
  }

  @Test
  void remove_withFoldersDeeperThanAnyPathOrStack_leavesWhatTheirLinksLeadTo() throws Exception {
    Path outside = Files.createDirectory(data.resolve("outside"));
    Files.createFile(outside.resolve("precious"));
    folders.create(RunSpec.of(place("a", Map.of(), null)));
    AttemptKey key = new AttemptKey("a", 1);
    Path deep = Files.createDirectory(folders.scratch(key).resolve("deeper"));
    Files.createSymbolicLink(deep.resolve("link"), outside);
    Path above = data.resolve("above");
    for (int i = 0; i < 1_000; i++) {
      Files.createDirectory(above);
      Files.move(deep, above.resolve("deeper"));
      Files.move(above, deep);
    }

    Runnable remove = () -> RunFolders.delete(folders.folder(key).toFile());
    Thread small = new Thread(null, remove, "small", 256 * 1024);
    small.start();
    small.join();

    assertThat(folders.folder(key)).doesNotExist();
    assertThat(outside.resolve("precious")).exists();
  }

  @Test
  void create_whereSomethingLies_takesItsPlace() throws IOException {
    recycled(place("a", Map.of("rate", "1"), null));
    Path folder = Files.createDirectory(folders.folder(new AttemptKey("b", 1)));
    Files.writeString(folder.resolve("left"), "of nobody");

    folders.create(RunSpec.of(place("b", Map.of("rate", "2"), null)));

    assertThat(folder.resolve("left")).doesNotExist();
    assertThat(folder.resolve("params.json")).hasContent("{\"rate\":\"2\"}");
  }

  @Test
  void remove_movesTheFolderOutOfTheWay_andThenDeletesIt() throws IOException {
    folders.create(RunSpec.of(place("a", Map.of(), null)));
    AttemptKey key = new AttemptKey("a", 1);
    Files.createFile(Files.createDirectory(folders.scratch(key).resolve("deeper")).resolve("file"));

    folders.remove(key);

    assertThat(folders.folder(key)).doesNotExist();
    await().untilAsserted(() -> assertThat(data.resolve("gone")).isEmptyDirectory());
  }

  @Test
  void remove_whereNothingCanBeMovedTo_deletesItThere() throws IOException {
    Files.delete(data.resolve("gone"));
    Files.createFile(data.resolve("gone"));
    folders.create(RunSpec.of(place("a", Map.of(), null)));
    AttemptKey key = new AttemptKey("a", 1);

    folders.remove(key);
    folders.remove(new AttemptKey("absent", 1));

    assertThat(folders.folder(key)).doesNotExist();
    assertThat(data.resolve("gone")).isEmptyFile();
  }

  @Test
  void whatAnEarlierAgentDidNotGetDeletedIsDeleted() throws IOException {
    Path left = Files.createDirectory(data.resolve("gone").resolve("1-0"));
    Files.createFile(left.resolve("file"));

    try (RunFolders later = new RunFolders(data, RunUsers.SELF)) {
      await().untilAsserted(() -> assertThat(left).doesNotExist());
    }
  }

  /** A run that has ended, with all its processes. */
  private void recycled(Place place) throws IOException {
    folders.create(RunSpec.of(place));
    AttemptKey key = new AttemptKey(place.job(), place.attempt());
    Files.move(folders.folder(key).resolve("unclaimed"), folders.state(key));
    folders.recycle(key);
  }

  private static Place place(String job, Map<String, String> params, String group) {
    return aPlace(job).params(params == null ? null : Json.tree(params)).group(group).build();
  }

  /** Their names alone are more than twice what the agent has. */
  @Test
  void aRunThatLeftMoreFilesThanThereIsMemoryForIsRemovedAllTheSame() throws Exception {
    Path data = Files.createDirectory(this.data.resolve("crowded"));
    Path run = Files.createDirectories(data.resolve("runs").resolve("job-1"));
    Files.createFile(run.resolve("state"));
    for (Path crowded : List.of(run, Files.createDirectory(run.resolve("work")))) {
      Files.setPosixFilePermissions(crowded, PosixFilePermissions.fromString("rwx------"));
      for (int n = 0; n < 100_000; n++) {
        Files.createFile(crowded.resolve("a".repeat(200) + n));
      }
    }

    Process removes =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx16m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                LittleMemory.class.getName(),
                data.toString(),
                "job-1")
            .redirectErrorStream(true)
            .start();
    String said = new String(removes.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(removes.waitFor()).as(said).isZero();
    assertThat(run).doesNotExist();
  }
}
