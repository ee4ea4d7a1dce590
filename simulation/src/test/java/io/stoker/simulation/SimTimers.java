package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.store.Timers;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Timers; few of them are applied at once. */
record SimTimers(SimTransaction tx) implements Timers {
  private static final int AT_ONCE = 4;

  @Override
  public Uni<List<TimerRow>> due(int limit, Collection<TimerRow.Key> except) {
    return statement(
        () ->
            due()
                .filter(timer -> !except.contains(timer.key()))
                .limit(Math.min(limit, AT_ONCE))
                .toList());
  }

  @Override
  public Uni<List<TimerRow>> stillDue(Collection<TimerRow.Key> keys) {
    return statement(() -> due().filter(timer -> keys.contains(timer.key())).toList());
  }

  private Stream<TimerRow> due() {
    return tx.tables().timers.values().stream()
        .filter(timer -> timer.dueAt() <= tx.now())
        .sorted(Comparator.comparing(TimerRow::dueAt));
  }
}
