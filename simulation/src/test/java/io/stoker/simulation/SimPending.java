package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.PendingWork;

/** What waits in the database. */
record SimPending(SimTransaction tx) {
  /** Waits that are over within so long, ms. */
  private static final long SOON = 1_000;

  Uni<PendingWork> look() {
    return statement(
        () -> {
          Tables tables = tx.has(Defect.SEE_NOTHING_PENDING) ? new Tables() : tx.tables();
          return new PendingWork(
              tables.timers.values().stream().anyMatch(row -> row.dueAt() <= tx.now()),
              !tables.attempts.isEmpty(),
              !tables.ready.isEmpty(),
              tables.backoffs.values().stream().anyMatch(row -> row.dueAt() <= tx.now() + SOON),
              true,
              true,
              !tables.launchFailures.isEmpty(),
              false,
              false,
              tables.plans.values().stream().anyMatch(row -> row.endedAt() == null),
              !tables.fanOuts.isEmpty(),
              !tables.due.isEmpty());
        });
  }
}
