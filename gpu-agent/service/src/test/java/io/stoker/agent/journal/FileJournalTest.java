package io.stoker.agent.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Function;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.JournalEntry.Ended;
import io.stoker.agent.attempt.JournalEntry.Forgotten;
import io.stoker.agent.attempt.JournalEntry.Offset;
import io.stoker.agent.attempt.JournalEntry.PoolsSet;
import io.stoker.agent.attempt.JournalEntry.SeqReserved;
import io.stoker.agent.loop.JournalException;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.ToAgent.SetPools;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.common.security.Macs;
import io.stoker.common.security.OwnFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileJournalTest {
  private static final JournalEntry ONE = new Offset(7);
  private static final JournalEntry TWO = new SeqReserved("job", 1, 64);
  private static final JournalEntry THREE = new Forgotten("jöb", 2);

  private static final int NOBODY = 65_534;

  @TempDir Path folder;

  @Test
  void findsWhatWasAppendedInOrder() {
    String id;
    try (FileJournal journal = FileJournal.open(folder)) {
      id = journal.id();
      append(journal, ONE, TWO, THREE);
    }
    try (FileJournal again = FileJournal.open(folder)) {
      assertThat(again.found()).containsExactly(ONE, TWO, THREE);
      assertThat(again.id()).isEqualTo(id);
    }
  }

  @Test
  void keepsThePoolsThatKindsDeclare() {
    WorkerPool pool =
        new WorkerPool(
            "iris",
            "flower",
            List.of("a"),
            Map.of("B", "c"),
            null,
            0,
            1,
            2,
            3,
            60_000,
            10_000,
            10_000,
            true,
            1,
            1L << 31,
            0,
            null);
    JournalEntry entry = new PoolsSet(new SetPools(4, List.of(pool)));
    try (FileJournal journal = FileJournal.open(folder)) {
      append(journal, entry);
    }
    try (FileJournal again = FileJournal.open(folder)) {
      assertThat(again.found()).containsExactly(entry);
    }
  }

  @Test
  void cutsATornEndOffWhereverItWasTornAndGoesOn() throws IOException {
    try (FileJournal journal = FileJournal.open(folder)) {
      append(journal, ONE, TWO);
    }
    byte[] whole = Files.readAllBytes(log());
    int first = new String(whole).indexOf('\n') + 1;
    for (int length = first; length < whole.length; length++) {
      Files.write(log(), Arrays.copyOf(whole, length));
      try (FileJournal torn = FileJournal.open(folder)) {
        assertThat(torn.found()).as("torn at byte %d", length).containsExactly(ONE);
        append(torn, THREE);
      }
      try (FileJournal again = FileJournal.open(folder)) {
        assertThat(again.found()).containsExactly(ONE, THREE);
      }
    }
  }

  @Test
  void zeroesAtTheEndAfterAPowerCutAreCutOff() throws IOException {
    String id;
    try (FileJournal journal = FileJournal.open(folder)) {
      id = journal.id();
      append(journal, ONE);
    }
    Files.write(log(), new byte[4096], StandardOpenOption.APPEND);
    try (FileJournal again = FileJournal.open(folder)) {
      assertThat(again.found()).containsExactly(ONE);
      assertThat(again.id()).isEqualTo(id);
    }
  }

  @Test
  void aHoleInTheMiddleLosesTheJournalAndItsId() throws IOException {
    String id;
    try (FileJournal journal = FileJournal.open(folder)) {
      id = journal.id();
      append(journal, ONE, TWO, THREE);
    }
    byte[] bytes = Files.readAllBytes(log());
    bytes[new String(bytes).indexOf('\n') + 15] ^= 1;
    Files.write(log(), bytes);
    try (FileJournal again = FileJournal.open(folder)) {
      assertThat(again.found()).isEmpty();
      assertThat(again.id()).isNotEqualTo(id);
    }
    try (var files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .anyMatch(name -> name.startsWith("damaged-"));
    }
  }

  /** Writes three entries, does something to the files, and opens it again. */
  private void afterwards(Damage damage, java.util.function.BiConsumer<FileJournal, String> then)
      throws IOException {
    String id;
    try (FileJournal journal = FileJournal.open(folder)) {
      id = journal.id();
      append(journal, ONE, TWO, THREE);
    }
    damage.doIt();
    try (FileJournal again = FileJournal.open(folder)) {
      then.accept(again, id);
    }
  }

  private interface Damage {
    void doIt() throws IOException;
  }

  private static void isLost(FileJournal again, String id) {
    assertThat(again.found()).isEmpty();
    assertThat(again.id()).isNotEqualTo(id);
  }

  @Test
  void withoutItsEntriesItIsLost() throws IOException {
    afterwards(() -> Files.delete(log()), FileJournalTest::isLost);
  }

  @Test
  void withoutItsIdItIsLostAlthoughAllEntriesAreThere() throws IOException {
    afterwards(() -> Files.delete(folder.resolve("id")), FileJournalTest::isLost);
  }

  @Test
  void underAnotherIdItIsLostAlthoughAllEntriesAreThere() throws IOException {
    Path file = folder.resolve("id");
    afterwards(
        () -> {
          byte[] text = Files.readAllBytes(file);
          text[3] ^= 1;
          Files.write(file, text);
        },
        FileJournalTest::isLost);
  }

  @Test
  void cutOffBeforeItsLastWriteItIsLost() throws IOException {
    afterwards(
        () -> {
          byte[] bytes = Files.readAllBytes(log());
          Files.write(log(), Arrays.copyOf(bytes, new String(bytes).indexOf('\n') + 5));
        },
        FileJournalTest::isLost);
  }

  /** More than the last write may be torn then. */
  @Test
  void cutOffByThatMuchOnAnEarlierBootItIsTheSameWithoutItsEnd() throws IOException {
    afterwards(
        () -> {
          byte[] bytes = Files.readAllBytes(log());
          Files.write(log(), Arrays.copyOf(bytes, new String(bytes).indexOf('\n') + 5));
          ofAnEarlierBoot();
        },
        (again, id) -> {
          assertThat(again.found()).containsExactly(ONE);
          assertThat(again.id()).isEqualTo(id);
        });
  }

  /** The kernel writes in whatever order it likes; but what was synced has no hole. */
  @Test
  void withAHoleOnAnEarlierBootItIsTheSameUpToThere() throws IOException {
    afterwards(
        () -> {
          byte[] bytes = Files.readAllBytes(log());
          int second = new String(bytes).indexOf('\n') + 1;
          Arrays.fill(bytes, second, second + 20, (byte) 0);
          Files.write(log(), bytes);
          ofAnEarlierBoot();
        },
        (again, id) -> {
          assertThat(again.found()).containsExactly(ONE);
          assertThat(again.id()).isEqualTo(id);
          append(again, THREE);
        });
    try (FileJournal next = FileJournal.open(folder)) {
      assertThat(next.found()).containsExactly(ONE, THREE);
    }
  }

  private void ofAnEarlierBoot() throws IOException {
    Path end = folder.resolve("end");
    byte[] said = Files.readAllBytes(end);
    String id = Files.readString(folder.resolve("id")).strip();
    byte[] head = CheckedText.line(id + " another-boot").getBytes();
    Arrays.fill(said, 0, 120, (byte) 0);
    System.arraycopy(head, 0, said, 0, head.length);
    Files.write(end, said);
  }

  @Test
  void whatSaysHowFarItHasComeMayBeGone() throws IOException {
    afterwards(
        () -> Files.delete(folder.resolve("end")),
        (again, id) -> {
          assertThat(again.found()).containsExactly(ONE, TWO, THREE);
          assertThat(again.id()).isEqualTo(id);
        });
  }

  @Test
  void aNewFolderIsANewJournal() {
    String first;
    try (FileJournal journal = FileJournal.open(folder.resolve("a"))) {
      first = journal.id();
    }
    try (FileJournal journal = FileJournal.open(folder.resolve("b"))) {
      assertThat(journal.id()).isNotEqualTo(first);
      assertThat(journal.found()).isEmpty();
    }
  }

  @Test
  void compactionKeepsTheIdAndOnlyTheSnapshot() {
    String id;
    try (FileJournal journal = FileJournal.open(folder)) {
      id = journal.id();
      append(journal, ONE, TWO);
      journal.compact(List.of(THREE));
      append(journal, ONE);
      journal.sync();
    }
    try (FileJournal again = FileJournal.open(folder)) {
      assertThat(again.found()).containsExactly(THREE, ONE);
      assertThat(again.id()).isEqualTo(id);
    }
  }

  @Test
  void aCompactionThatWasCutShortChangesNothing() throws IOException {
    try (FileJournal journal = FileJournal.open(folder)) {
      append(journal, ONE);
    }
    Files.writeString(folder.resolve("log.new"), "half a li");
    try (FileJournal again = FileJournal.open(folder)) {
      assertThat(again.found()).containsExactly(ONE);
      again.compact(List.of(TWO));
    }
    try (FileJournal again = FileJournal.open(folder)) {
      assertThat(again.found()).containsExactly(TWO);
    }
  }

  /** To open a folder takes the right to read it, and to move a file within it does not. */
  @Test
  void whatFollowsACompactionIsKeptAlsoIfItsFolderCannotBeForced() throws IOException {
    try (FileJournal journal = FileJournal.open(folder)) {
      append(journal, ONE, TWO);
      withoutTheRightToRead(
          () -> {
            assertThatThrownBy(() -> journal.compact(List.of(THREE)))
                .hasMessageContaining("cannot be compacted");
            append(journal, ONE);
            assertThatThrownBy(journal::sync)
                .as("a power cut may bring the old one back")
                .hasMessageContaining("cannot be forced to disk");
          });
      journal.sync();
    }
    try (FileJournal again = FileJournal.open(folder)) {
      assertThat(again.found()).containsExactly(THREE, ONE);
    }
  }

  /** Root is nobody meanwhile, on this thread alone and where files are concerned. */
  private void withoutTheRightToRead(Damage step) throws IOException {
    Function asUser = Function.getFunction("c", "setfsuid");
    int self = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("-wx-wx-wx"));
    asUser.invokeInt(new Object[] {self == 0 ? NOBODY : self});
    try {
      step.doIt();
    } finally {
      asUser.invokeInt(new Object[] {self});
      OwnFiles.folder(folder);
    }
  }

  @Test
  void twoAgentsNeverShareAFolder() {
    try (FileJournal journal = FileJournal.open(folder)) {
      assertThat(journal.found()).isEmpty();
      assertThatThrownBy(() -> FileJournal.open(folder))
          .isInstanceOf(JournalException.class)
          .hasMessageContaining(folder.toString());
    }
  }

  private Path log() {
    return folder.resolve("log");
  }

  private static void append(FileJournal journal, JournalEntry... entries) {
    for (JournalEntry entry : entries) {
      journal.append(List.of(entry));
    }
  }

  /** As agents wrote it that cut text within a character: nothing more was sent by their host. */
  @Test
  void anEndWithHalfACharacterInItCanBeSentOnceItIsRead() throws Exception {
    String json =
        """
        {"is":"ended","report":{"job":"j","attempt":1,"seq":3,"type":"ENDED","at":1,"outcome":"FAILED",
        "category":"APP","message":"exit code 1: a\\u0000b\\ud83d…","exitCode":1},"token":"AQ==",
        "notAfter":7,"request":"r"}\
        """
            .replace("\n", "");
    byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
    CRC32 crc = new CRC32();
    crc.update(bytes);
    String line = HexFormat.of().toHexDigits((int) crc.getValue()) + " " + json + "\n";
    FileJournal.open(folder).close();
    Files.writeString(folder.resolve("log"), line);

    try (FileJournal journal = FileJournal.open(folder)) {
      AttemptEvent end = ((Ended) journal.found().getFirst()).report();
      assertThat(end.message()).isEqualTo("exit code 1: a\\u0000b\\ud83d…");
      assertThat(Macs.sign(new byte[] {1}, end)).isNotEmpty();
    }
  }
}
