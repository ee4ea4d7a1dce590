package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Reads what statuses show. */
public interface Statuses {
  /** These requests in their order, cut so that the views of each list can be held at once. */
  Uni<List<List<String>>> slices(Collection<String> requests);

  /**
   * The current views of these requests; unknown ids and placeholders have none. All of them are
   * held at once: of many, ask for one of their {@link #slices} after the other.
   */
  Uni<List<RequestStatus>> views(Collection<String> requests);

  /**
   * Of the requests that were accepted, those that would be published now under a version above the
   * given one, with that version.
   */
  Uni<Map<String, Long>> versionsAbove(Map<String, Long> versions);
}
