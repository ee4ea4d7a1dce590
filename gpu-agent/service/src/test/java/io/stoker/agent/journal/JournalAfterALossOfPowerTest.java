package io.stoker.agent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.JournalEntry.Offset;
import io.stoker.agent.loop.JournalException;
import io.stoker.common.fixture.SmallDisk;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalAfterALossOfPowerTest {
  @TempDir Path folder;

  /** An id that nobody forced is an empty file then, and all that was synced is put aside. */
  @Test
  void whatWasSyncedIsThereUnderTheSameIdHoweverNewItIs() throws Exception {
    JournalEntry entry = new Offset(7);
    try (SmallDisk disk = SmallDisk.mount(folder, 16, 0)) {
      DataFolder before = DataFolder.open(disk.root().resolve("data"));
      FileJournal journal = FileJournal.open(before.journal());
      journal.append(List.of(entry));
      journal.sync();
      disk.losePower();
      close(journal);
      before.close();

      disk.again();
      try (DataFolder data = DataFolder.open(disk.root().resolve("data"));
          FileJournal after = FileJournal.open(data.journal())) {
        assertThat(data.mark()).isEqualTo(before.mark());
        assertThat(after.id()).isEqualTo(journal.id());
        assertThat(after.found()).containsExactly(entry);
      }
    }
  }

  private static void close(FileJournal journal) {
    try {
      journal.close();
    } catch (JournalException e) {
      assertThat(e).hasMessageContaining("cannot be closed"); // its disk is gone
    }
  }
}
