package io.stoker.agent.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.JournalEntry.Floor;
import io.stoker.agent.loop.JournalException;
import io.stoker.common.fixture.SmallDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JournalOnAFullDiskTest {
  @TempDir Path folder;

  @Test
  void thereIsRoomForMuchMoreAndWhatFindsNoneLeavesNoTrace() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 16, 0)) {
      Path place = disk.root().resolve("journal");
      List<JournalEntry> kept = new ArrayList<>();
      try (FileJournal journal = FileJournal.open(place)) {
        Path filling = disk.fill();
        long before = journal.size();
        while (append(journal, kept)) {
          // Until the disk is full for it, too.
        }
        assertThat(journal.size() - before).as("set aside for it").isGreaterThan(500_000);
        assertThat(append(journal, kept)).as("it stays full").isFalse();

        disk.free(filling);
        assertThat(append(journal, kept)).isTrue();
      }
      try (FileJournal again = FileJournal.open(place)) {
        assertThat(again.found()).isEqualTo(kept);
      }
    }
  }

  @Test
  void whatCannotBeCompactedStaysAsItWas() throws Exception {
    try (SmallDisk disk = SmallDisk.mount(folder, 16, 0)) {
      Path place = disk.root().resolve("journal");
      List<JournalEntry> kept = new ArrayList<>();
      try (FileJournal journal = FileJournal.open(place)) {
        append(journal, kept);
        disk.fill();
        try {
          journal.compact(kept);
        } catch (JournalException e) {
          assertThat(e.getMessage()).contains("cannot be compacted");
        }
        assertThat(place.resolve("log.new")).doesNotExist();
        append(journal, kept);
      }
      try (FileJournal again = FileJournal.open(place)) {
        assertThat(again.found()).isEqualTo(kept);
      }
    }
  }

  private static boolean append(FileJournal journal, List<JournalEntry> kept) {
    List<JournalEntry> entries = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      entries.add(new Floor("job-" + kept.size() + "-" + i, 1, i));
    }
    try {
      journal.append(entries);
      kept.addAll(entries);
      return true;
    } catch (JournalException e) {
      assertThat(e.getMessage()).contains("No space left on device");
      return false;
    }
  }
}
