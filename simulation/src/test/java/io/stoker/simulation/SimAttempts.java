package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.store.Attempts;
import java.util.List;

/** The open attempts. */
record SimAttempts(SimTransaction tx) implements Attempts {
  @Override
  public Uni<List<String>> jobsOn(String host) {
    return statement(
        () ->
            tx.allAttempts().stream()
                .filter(attempt -> attempt.host().equals(host))
                .map(AttemptRow::job)
                .toList());
  }

  @Override
  public Uni<List<AttemptRow>> all() {
    return statement(
        () ->
            tx.allAttempts().stream()
                .filter(
                    row -> row.takes().gpuMemory() == null || !tx.passHas(Defect.FORGET_SHARERS))
                .map(row -> tx.passHas(Defect.FORGET_HOST_MEMORY) ? withoutMemory(row) : row)
                .toList());
  }

  private static AttemptRow withoutMemory(AttemptRow row) {
    Takes has = row.takes();
    return new AttemptRow(
        row.job(),
        row.number(),
        row.rank(),
        row.queue(),
        row.host(),
        row.offer(),
        Takes.of(has.gpus(), has.cpuSlots(), has.gpuMemory(), null, has.pool(), has.runner()),
        row.heard(),
        row.told());
  }

  @Override
  public Uni<List<AttemptRow>> untold() {
    return statement(
        () ->
            tx.allAttempts().stream()
                .filter(row -> !tx.has(Defect.FORGET_UNACCEPTED) || row.accepted())
                .filter(
                    row -> !row.accepted() || row.cancelReason() != null || isOfWaitingGang(row))
                .toList());
  }

  private boolean isOfWaitingGang(AttemptRow row) {
    return row.state() == AttemptRow.State.ACCEPTED
        && tx.tables().jobs.get(row.job()).latest().gang() != null;
  }
}
