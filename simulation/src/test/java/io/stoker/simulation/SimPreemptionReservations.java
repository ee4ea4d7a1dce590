package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.PreemptionReservation;
import io.stoker.dispatcher.store.PreemptionReservations;
import java.util.List;
import java.util.Map;

/** Room that is made for jobs in line. */
record SimPreemptionReservations(SimTransaction tx) implements PreemptionReservations {
  @Override
  public Uni<List<Held>> all() {
    return statement(
        () ->
            tx.tables().holds.values().stream()
                .map(hold -> new Held(hold, tx.tables().ready.containsKey(hold.job())))
                .toList());
  }

  @Override
  public Uni<Void> write(
      List<PreemptionReservation> made,
      List<PreemptionReservation> changed,
      List<String> released) {
    Map<String, PreemptionReservation> holds = tx.tables().holds;
    return statement(
        () -> {
          tx.write(
              () -> {
                made.forEach(hold -> holds.putIfAbsent(hold.job(), hold));
                changed.forEach(hold -> holds.replace(hold.job(), hold));
                released.forEach(holds::remove);
              });
          return null;
        });
  }
}
