package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Counts of groups. */
public interface Groups {
  /** How many of these requests have not ended by themselves, by group. */
  Uni<Map<String, Long>> members(List<String> requests);

  /** The queue of the first request of each of these groups; one without requests has none. */
  Uni<Map<String, String>> queues(Collection<String> groups);

  /** Makes a group known before any request names it. */
  Uni<Integer> create(String group);

  /** Says that no more is to come; the first time counts. */
  Uni<Integer> close(String group);

  /** Folds what was added since the last time. */
  Uni<Integer> fold();

  /** As the other one, of these groups alone. */
  Uni<Integer> fold(List<String> groups);

  /** Some of the groups of which something is to be folded. */
  Uni<List<String>> unfolded(int most);
}
