package io.stoker.agent.journal;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.agent.loop.JournalException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFolderTest {
  @TempDir Path data;

  private String mark() {
    try (DataFolder folder = DataFolder.open(data)) {
      return folder.mark();
    }
  }

  @Test
  void keepsItsMarkWhateverBecomesOfTheJournal() throws IOException {
    String mark = mark();
    try (FileJournal journal = FileJournal.open(data.resolve("journal"))) {
      assertThat(journal.id()).isNotEqualTo(mark);
    }
    try (Stream<Path> all = Files.walk(data.resolve("journal"))) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
    assertThat(mark()).isEqualTo(mark);
  }

  @Test
  void open_whereAnEarlierBuildMadeAJournalForAll_keepsItForTheAgentAlone() throws IOException {
    Path journal = data.resolve("journal");
    mark();
    FileJournal.open(journal).close();
    for (Path each : everythingIn(journal)) {
      Files.setPosixFilePermissions(each, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    mark();

    assertThat(everythingIn(journal)).hasSizeGreaterThan(4);
    try (FileJournal again = FileJournal.open(journal)) {
      again.compact(List.of());
      for (Path each : everythingIn(journal)) {
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(each)))
            .as(each.toString())
            .isEqualTo(each.equals(journal) ? "rwx------" : "rw-------");
      }
    }
  }

  private static List<Path> everythingIn(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.toList();
    }
  }

  @Test
  void aMarkThatIsLostOrChangedIsMadeUpForByItsCopy() throws IOException {
    String mark = mark();
    for (Path file : List.of(data.resolve("mark"), data.resolve("journal/mark"))) {
      byte[] text = Files.readAllBytes(file);
      for (int at = 0; at < text.length; at++) {
        byte[] changed = text.clone();
        changed[at] ^= 1;
        Files.write(file, changed);
        assertThat(mark()).as("byte %d of %s", at, file).isEqualTo(mark);
        assertThat(Files.readAllBytes(file)).isEqualTo(text);
      }
      Files.delete(file);
      assertThat(mark()).isEqualTo(mark);
      assertThat(Files.readAllBytes(file)).isEqualTo(text);
    }
  }

  @Test
  void afterAnAgentOfABuildBeforeItIsThatOnesJournalsId() throws IOException {
    Path journal = Files.createDirectories(data.resolve("journal"));
    String id = "0a4bb6a0-9e0c-4f61-8a55-0a0f8a1d2c3e";
    Files.writeString(journal.resolve("id"), id + "\n");
    Files.createFile(journal.resolve("log"));
    assertThat(mark()).isEqualTo(id);
    try (FileJournal opened = FileJournal.open(journal)) {
      assertThat(opened.id()).isEqualTo(id);
    }
    Files.delete(journal.resolve("log"));
    try (FileJournal another = FileJournal.open(journal)) {
      assertThat(another.id()).isNotEqualTo(id);
    }
    assertThat(mark()).isEqualTo(id);
  }

  @Test
  void oneAgentAtATimeHasItAlsoWithoutItsJournal() throws IOException {
    try (DataFolder folder = DataFolder.open(data)) {
      Files.delete(folder.journal().resolve("mark"));
      Files.delete(folder.journal());
      assertThatThrownBy(() -> DataFolder.open(data))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining("another agent is using it");
    }
  }

  @Test
  void aCopiedJournalThatNamesRunningAttemptsIsNotUsedOnTheSameBoot() throws IOException {
    Path copy = Files.createDirectory(data.resolve("copy"));
    Path original = Files.createDirectory(data.resolve("original"));
    try (DataFolder folder = DataFolder.open(original)) {
      folder.claim("boot", 3);
      folder.claim("boot", 3);
    }
    Path copied = Files.createDirectory(copy.resolve("journal")).resolve("seat");
    Files.copy(original.resolve("journal/seat"), copied);
    try (DataFolder folder = DataFolder.open(copy)) {
      assertThatThrownBy(() -> folder.claim("boot", 3))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("is a copy: the processes of 3 attempt(s)");

      folder.claim("boot-2", 3); // of the machine's next start nothing runs
      Files.copy(original.resolve("journal/seat"), copied, REPLACE_EXISTING);
      folder.claim("boot", 0);
      folder.claim("boot", 3);
    }
  }

  /** Or its watchdog, and its first clearing, would end what the other agent has begun since. */
  @Test
  void aCopyThatNamesNothingBeginsWithAMarkOfItsOwn() throws IOException {
    Path copy = Files.createDirectory(data.resolve("copy"));
    Path original = Files.createDirectory(data.resolve("original"));
    String first;
    try (DataFolder folder = DataFolder.open(original)) {
      folder.claim("boot", 0);
      first = folder.mark();
    }
    Path journal = Files.createDirectory(copy.resolve("journal"));
    for (String file : List.of("mark", "journal/mark", "journal/seat")) {
      Files.copy(original.resolve(file), copy.resolve(file));
    }
    String own;
    try (DataFolder folder = DataFolder.open(copy)) {
      folder.claim("boot", 0);
      own = folder.mark();
      assertThat(own).isNotEqualTo(first);
    }
    Files.delete(journal.resolve("mark"));
    try (DataFolder folder = DataFolder.open(copy)) {
      folder.claim("boot", 0);
      assertThat(folder.mark()).isEqualTo(own);
    }
    try (DataFolder folder = DataFolder.open(original)) {
      folder.claim("boot", 0);
      assertThat(folder.mark()).isEqualTo(first);
    }
  }

  @Test
  void aDamagedNoteOfItsPlaceKeepsNoAgentFromStarting() throws IOException {
    try (DataFolder folder = DataFolder.open(data)) {
      folder.claim("boot", 3);
      Path note = data.resolve("journal/seat");
      byte[] text = Files.readAllBytes(note);
      for (int bit = 0; bit < 8 * text.length; bit++) {
        byte[] changed = text.clone();
        changed[bit / 8] ^= (byte) (1 << bit % 8);
        Files.write(note, changed);
        folder.claim("boot", 3);
        assertThat(Files.readAllBytes(note)).as("bit %d", bit).isEqualTo(text);
      }
    }
  }
}
