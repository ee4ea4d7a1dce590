package io.stoker.e2e.simulation;

import io.stoker.agent.attempt.JournalEntry;
import java.util.ArrayList;
import java.util.List;

/** What an agent keeps its journal on. */
final class Disk {
  private final World world;
  private final String machine;
  private List<JournalEntry> journal = new ArrayList<>();
  private int forced;
  private int journals;
  private String journalId;

  Disk(World world, String machine) {
    this.world = world;
    this.machine = machine;
    replace();
  }

  String journalId() {
    return journalId;
  }

  List<JournalEntry> journal() {
    return journal;
  }

  void append(JournalEntry entry) {
    journal.add(entry);
  }

  /** The journal is this, all at once, and forced to the disk. */
  void rewrite(List<JournalEntry> snapshot) {
    journal = new ArrayList<>(snapshot);
    forced = journal.size();
  }

  /** Forces the journal to the disk. */
  void sync() {
    forced = journal.size();
  }

  /** It is another one, or the journal on it was deleted. */
  void replace() {
    journal = new ArrayList<>();
    journalId = machine + "-journal-" + journals++;
    forced = 0;
  }

  /** It has what is on another one. */
  void copy(Disk other) {
    journal = new ArrayList<>(other.journal);
    journalId = other.journalId;
    forced = journal.size();
  }

  /** What nobody forced onto it may be gone. */
  void losePower() {
    int kept = forced + world.chance.between(0, journal.size() - forced);
    journal = new ArrayList<>(journal.subList(0, kept));
    forced = journal.size();
  }
}
