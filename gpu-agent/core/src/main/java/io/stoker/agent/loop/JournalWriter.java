package io.stoker.agent.loop;

import io.stoker.agent.attempt.JournalEntry;
import io.stoker.common.message.AttemptEvent;
import java.util.List;
import java.util.function.Consumer;

/**
 * Writes to the journal, at need with the room that is set aside for it on a full disk.
 *
 * @param ended told of each terminal report that is journaled
 */
record JournalWriter(Journal journal, Runnable spareRoom, Consumer<AttemptEvent> ended) {
  /** All of them in one write, which costs as much as one for each would. */
  void write(List<JournalEntry> entries) {
    try {
      journal.append(entries);
    } catch (JournalException e) {
      spareRoom.run();
      journal.append(entries);
    }
    for (JournalEntry entry : entries) {
      if (entry instanceof JournalEntry.Ended end) {
        ended.accept(end.report());
      }
    }
  }

  /** Says how far the placements topic has been dealt with. */
  void write(JournalEntry.Offset offset) {
    journal.append(List.of(offset));
  }
}
