package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.DependencyRow;
import java.util.Collection;
import java.util.List;

/** Dependencies that are not settled. */
public interface Dependencies {
  /** Held to the end of the transaction by whoever may close a cycle. */
  Uni<Void> lockCycles();

  /** Everything that these requests wait for, directly or not. */
  Uni<List<DependencyRow>> reachableFrom(Collection<String> requests);
}
