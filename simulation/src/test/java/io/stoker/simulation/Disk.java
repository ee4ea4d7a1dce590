package io.stoker.simulation;

import io.stoker.agent.attempt.JournalEntry;
import java.util.ArrayList;
import java.util.List;

/** What an agent keeps its journal on. */
final class Disk {
  private final World world;
  private final String machine;
  private List<JournalEntry> journal = new ArrayList<>();
  private JournalRules rules;
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

  /** What must hold of what is on it. */
  JournalRules rules() {
    return rules;
  }

  void append(JournalEntry entry) {
    journal.add(entry);
    rules.staged().decides(entry);
    rules.wrote(entry);
  }

  /** The journal is this, all at once, and forced to the disk. */
  void rewrite(List<JournalEntry> snapshot) {
    journal = new ArrayList<>(snapshot);
    forced = 0;
    journal.forEach(rules::wrote);
    sync();
  }

  /** Forces the journal to the disk. */
  void sync() {
    journal.subList(forced, journal.size()).forEach(rules::forced);
    forced = journal.size();
  }

  /** It is another one, or the journal on it was deleted. */
  void replace() {
    journal = new ArrayList<>();
    rules = new JournalRules(world, machine);
    journalId = machine + "-journal-" + journals++;
    forced = 0;
  }

  /** It has what is on another one. */
  void copy(Disk other) {
    journalId = other.journalId;
    rewrite(other.journal);
  }

  /** What nobody forced onto it may be gone. */
  void losePower() {
    int kept = forced + world.chance.between(0, journal.size() - forced);
    journal.subList(kept, journal.size()).forEach(rules::lost);
    journal = new ArrayList<>(journal.subList(0, kept));
    sync();
  }
}
