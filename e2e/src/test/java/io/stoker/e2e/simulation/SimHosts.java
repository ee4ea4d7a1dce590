package io.stoker.e2e.simulation;

import static io.stoker.e2e.simulation.SimStatements.statement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.store.Hosts;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** The table of hosts. */
record SimHosts(SimTransaction tx) implements Hosts {
  @Override
  public Uni<List<HostRow>> all() {
    return statement(tx::allHosts);
  }

  @Override
  public Uni<List<HostRow>> lock(Collection<String> hosts) {
    return statement(
        () -> new TreeSet<>(hosts).stream().map(tx::lockHost).flatMap(Optional::stream).toList());
  }

  @Override
  public Uni<Void> put(HostRow row, boolean isNew) {
    return statement(
        () -> {
          tx.write(() -> tx.tables().hosts.put(row.id(), row));
          return null;
        });
  }
}
