package io.stoker.agent.loop;

import io.stoker.agent.attempt.JournalEntry;
import java.util.List;
import java.util.function.Supplier;

/**
 * The agent's memory: what is appended outlives the agent, and what is forced to the disk its
 * machine. All methods throw {@link JournalException} if they could not do what they are for.
 */
public interface Journal {
  /** Writes entries, in order: all of them, or none. */
  void append(List<JournalEntry> entries);

  /** Makes everything appended so far survive a power cut; may be called from any thread. */
  void sync();

  /** Replaces the journal by what it adds up to, once it has grown large. */
  void compactIfLarge(Supplier<List<JournalEntry>> snapshot);

  /** Replaces the journal by what it adds up to, which is on the disk then. */
  void compact(List<JournalEntry> snapshot);
}
