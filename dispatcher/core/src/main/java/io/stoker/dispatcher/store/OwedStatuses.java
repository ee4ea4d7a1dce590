package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.List;

/** Statuses that are owed: what a transaction changed, and nobody has said on the topic yet. */
public interface OwedStatuses {
  /**
   * A status that is owed.
   *
   * @param marked other with each mark: publishing settles it only if it was not marked again
   *     meanwhile
   * @param queue of a request that is no more, where it was; null if that is not known
   */
  record Due(String request, long marked, String queue) {}

  /**
   * Some of what is owed.
   *
   * @param more whether there may be more
   */
  record Some(List<Due> owed, boolean more) {}

  /**
   * As much as can be held at once, {@code limit} at most.
   *
   * @param except not of these requests
   */
  Uni<Some> some(int limit, Collection<String> except);

  /** Owes the current statuses of these requests. */
  Uni<Void> owe(List<String> requests);

  /** These are published. */
  Uni<Void> settle(List<Due> published);
}
