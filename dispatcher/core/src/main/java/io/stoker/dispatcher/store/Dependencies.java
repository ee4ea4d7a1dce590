package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.DependencyRow;
import java.util.Collection;
import java.util.List;

/** Dependencies that are not settled. */
public interface Dependencies {
  /** Which of these requests others depend on. */
  Uni<List<String>> dependedOnAmong(Collection<String> requests);

  /** Dependencies on a request in order of dependent. */
  Uni<List<DependencyRow>> on(String request, int limit);

  /** For each of these requests that waits for one nobody posted: it, and that one. */
  Uni<List<DependencyRow>> neverPosted(Collection<String> requests);

  /** Held to the end of the transaction by whoever may close a cycle. */
  Uni<Void> lockCycles();

  /** Everything that these requests wait for, directly or not. */
  Uni<List<DependencyRow>> reachableFrom(Collection<String> requests);
}
