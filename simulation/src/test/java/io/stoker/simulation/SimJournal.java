package io.stoker.simulation;

import io.stoker.agent.attempt.AgentState;
import io.stoker.agent.attempt.JournalEntry;
import io.stoker.agent.attempt.Lease;
import io.stoker.agent.loop.Journal;
import io.stoker.agent.loop.JournalException;
import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

/**
 * An agent's journal on its machine's disk. Who dies while writing leaves the first entries alone;
 * on a full disk nothing can be written, and what was may not be forced.
 */
final class SimJournal implements Journal {
  /** So that it is compacted now and then. */
  private static final int COMPACT_AT = 30;

  private static final int COMPACT_FACTOR = 2;

  private final World world;
  private final Machine machine;
  private final Life life;

  private int compactAt = COMPACT_AT;

  SimJournal(World world, Machine machine, Life life) {
    this.world = world;
    this.machine = machine;
    this.life = life;
  }

  @Override
  public void append(List<JournalEntry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    Died.perhaps(world, life);
    if (machine.full()) {
      throw full();
    }
    for (JournalEntry entry : entries) {
      machine.disk().append(entry);
      Died.perhaps(world, life);
    }
  }

  @Override
  public void sync() {
    Died.perhaps(world, life);
    if (machine.full() && world.chance.is(0.3)) {
      throw full();
    }
    machine.disk().sync();
    Died.perhaps(world, life);
  }

  @Override
  public void compactIfLarge(Supplier<List<JournalEntry>> snapshot) {
    if (machine.disk().journal().size() >= compactAt) {
      List<JournalEntry> entries = snapshot.get();
      compactAt = COMPACT_AT + entries.size() * COMPACT_FACTOR;
      compact(entries);
    }
  }

  @Override
  public void compact(List<JournalEntry> snapshot) {
    Died.perhaps(world, life);
    if (machine.full()) {
      throw full();
    }
    machine.disk().rules().compacts(state(machine.disk().journal()), state(snapshot));
    machine.disk().rewrite(snapshot);
    Died.perhaps(world, life);
  }

  private AgentState state(List<JournalEntry> journal) {
    return AgentState.replay(journal, machine.ledger(), new Lease("", 0));
  }

  private static JournalException full() {
    return new JournalException("the journal cannot be written", new IOException("disk full"));
  }
}
