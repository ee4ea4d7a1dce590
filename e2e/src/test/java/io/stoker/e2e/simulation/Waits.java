package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.BackoffRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.timer.RetriesDue;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/**
 * Failed jobs that wait for their next attempt, as Retries: alarms, which go with their replica.
 */
final class Waits {
  private static final int AT_ONCE = 2;

  private final World world;
  private final SimDatabase database;
  private final Wire wire;
  private final Consumer<Ledger> follow;
  private final SimPump pump;

  Waits(World world, SimDatabase database, Wire wire, Consumer<Ledger> follow) {
    this.world = world;
    this.database = database;
    this.wire = wire;
    this.follow = follow;
    pump = new SimPump(world, wire.life(), this::run);
  }

  /** Sets alarms for what a transaction has let wait. */
  void note(Ledger ledger) {
    for (BackoffRow row : ledger.backedOff()) {
      long delay = Math.max(1, row.dueAt() - ledger.now());
      world.timeline.after(delay, wire.life(), pump::wake);
    }
  }

  /** As the sweep does. */
  void look() {
    if (!world.has(Defect.FORGET_WAITS)) {
      pump.wake();
    }
  }

  private Uni<Boolean> run() {
    return database
        .transaction(wire.life(), Waits::due)
        .chain(
            due ->
                due.isEmpty()
                    ? Uni.createFrom().item(false)
                    : putInLine(due).invoke(follow).replaceWith(due.size() == AT_ONCE));
  }

  private static List<BackoffRow> due(SimTransaction tx) {
    return tx.tables().backoffs.values().stream()
        .filter(row -> row.dueAt() <= tx.now())
        .sorted(Comparator.comparing(BackoffRow::dueAt))
        .limit(AT_ONCE)
        .toList();
  }

  private Uni<Ledger> putInLine(List<BackoffRow> due) {
    return database.transaction(
        wire.life(),
        tx -> {
          Ledger ledger = Loads.jobs(tx, due.stream().map(BackoffRow::job).toList(), false);
          RetriesDue.apply(ledger, due);
          tx.write(ledger);
          return ledger;
        });
  }
}
