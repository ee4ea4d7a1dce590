package io.stoker.simulation;

import static io.stoker.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.LaunchFailure;
import io.stoker.dispatcher.store.LaunchFailures;
import java.util.List;
import java.util.Map;

/** Jobs that could not be started on a host. */
record SimLaunchFailures(SimTransaction tx) implements LaunchFailures {
  @Override
  public Uni<List<LaunchFailure>> all() {
    return statement(
        () -> {
          tx.hearFailures();
          return tx.has(Defect.FORGET_SUSPICIONS) ? List.of() : tx.tables().launchFailures;
        });
  }

  @Override
  public Uni<Void> forget(Map<String, Long> started, long before) {
    return statement(
        () -> {
          tx.write(
              () ->
                  tx.tables().launchFailures =
                      tx.tables().launchFailures.stream()
                          .filter(one -> one.at() > before)
                          .filter(
                              one -> one.at() > started.getOrDefault(one.host(), Long.MIN_VALUE))
                          .toList());
          return null;
        });
  }
}
