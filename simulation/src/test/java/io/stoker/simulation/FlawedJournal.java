package io.stoker.simulation;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.loop.Journal;
import io.stoker.agent.loop.JournalException;
import io.stoker.agent.staged.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** An agent's journal, with one of its promises broken. */
final class FlawedJournal implements Journal {
  private final World world;
  private final Machine machine;
  private final Life life;
  private final SimJournal journal;

  /** What was said to be written and is not yet. */
  private final List<JournalEntry> late = new ArrayList<>();

  FlawedJournal(World world, Machine machine, Life life, SimJournal journal) {
    this.world = world;
    this.machine = machine;
    this.life = life;
    this.journal = journal;
  }

  @Override
  public void append(List<JournalEntry> entries) {
    List<JournalEntry> written = without(entries, world.defects.contains(Defect.FORGET_ENDS));
    if (world.has(Defect.ACT_BEFORE_JOURNAL)) {
      late.addAll(written);
      return;
    }
    try {
      journal.append(written);
    } catch (JournalException e) {
      if (!world.has(Defect.FORGET_TO_HOLD)) {
        throw e;
      }
    }
  }

  private List<JournalEntry> without(List<JournalEntry> entries, boolean ends) {
    if (world.defects.isEmpty()) {
      return entries;
    }
    return entries.stream()
        .filter(entry -> !(ends && entry instanceof JournalEntry.Ended))
        .filter(
            entry ->
                !(world.has(Defect.FORGET_ACCEPTANCES) && entry instanceof JournalEntry.Accepted))
        .filter(
            entry ->
                !(world.has(Defect.FORGET_WHAT_IS_GIVEN)
                    && entry instanceof JournalEntry.Started started
                    && isTask(started)))
        .filter(
            entry ->
                !(world.has(Defect.REUSE_NUMBERS) && entry instanceof JournalEntry.SeqReserved))
        .toList();
  }

  private boolean isTask(JournalEntry.Started started) {
    AttemptKey key = new AttemptKey(started.job(), started.attempt());
    return machine.disk().rules().pools().isTask(key);
  }

  /** All that an input asked for is done. */
  void settle() {
    if (!late.isEmpty()) {
      journal.append(late);
      late.clear();
    }
  }

  @Override
  public void sync() {
    if (!world.has(Defect.SAY_FORCED)) {
      journal.sync();
    }
  }

  @Override
  public void compactIfLarge(Supplier<List<JournalEntry>> snapshot) {
    journal.compactIfLarge(() -> kept(snapshot.get()));
  }

  @Override
  public void compact(List<JournalEntry> snapshot) {
    journal.compact(kept(snapshot));
  }

  private List<JournalEntry> kept(List<JournalEntry> snapshot) {
    late.clear();
    if (world.has(Defect.COMPACT_IN_PLACE)) {
      machine.disk().rewrite(List.of());
      Died.perhaps(world, life);
      Died.perhaps(world, life);
    }
    return without(snapshot, world.has(Defect.COMPACT_WITHOUT_ENDS));
  }

  /** What an agent that starts finds in it. */
  static List<JournalEntry> read(World world, Machine machine) {
    return machine.disk().journal().stream().flatMap(entry -> read(world, entry)).toList();
  }

  private static Stream<JournalEntry> read(World world, JournalEntry entry) {
    return switch (entry) {
      case JournalEntry.Ended end when world.has(Defect.RELIVE_ENDED) -> Stream.empty();
      case JournalEntry.Joined joined when world.has(Defect.FORGET_JOINED) -> Stream.empty();
      case JournalEntry.PoolKept kept when world.has(Defect.FORGET_POOLS) -> Stream.empty();
      case JournalEntry.Accepted taken when world.has(Defect.FORGET_ACCEPTED) -> Stream.empty();
      case JournalEntry.Accepted taken -> Stream.of(accepted(world, taken));
      case JournalEntry.Staged answered
          when world.has(Defect.FORGET_ANSWERS)
              && List.of(Stage.HOLDING, Stage.TRAINED).contains(answered.stage()) ->
          Stream.empty();
      case JournalEntry.Staged staged -> Stream.of(staged(world, staged));
      default -> Stream.of(entry);
    };
  }

  private static JournalEntry staged(World world, JournalEntry.Staged entry) {
    boolean untried = world.has(Defect.FORGET_TRIES);
    return new JournalEntry.Staged(
        entry.job(),
        entry.attempt(),
        entry.stage(),
        entry.command(),
        untried ? 0 : entry.loads(),
        untried ? 0 : entry.trains(),
        entry.starts(),
        entry.device(),
        entry.exclusive(),
        entry.memory(),
        entry.times(),
        entry.sees());
  }

  private static JournalEntry accepted(World world, JournalEntry.Accepted taken) {
    boolean small = world.has(Defect.FORGET_DEVICE_MEMORY) && taken.memory() != null;
    return new JournalEntry.Accepted(
        taken.place(),
        world.has(Defect.FORGET_DEVICES) ? List.of() : taken.devices(),
        taken.exclusive(),
        taken.cpuSlots(),
        small ? Long.valueOf(1) : taken.memory(),
        taken.at(),
        taken.boot());
  }
}
