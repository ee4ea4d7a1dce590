package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.HostRow;
import java.util.Collection;
import java.util.List;

/** The table of hosts. */
public interface Hosts {
  /** All of them by id, without locks. */
  Uni<List<HostRow>> all();

  /** Locks those of these hosts that are known. */
  Uni<List<HostRow>> lock(Collection<String> hosts);

  /** Inserts a host, or takes over the row as it now is; the caller holds its lock. */
  Uni<Void> put(HostRow row, boolean isNew);
}
