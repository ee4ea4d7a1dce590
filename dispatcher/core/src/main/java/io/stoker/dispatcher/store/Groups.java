package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.List;
import java.util.Map;

/** Counts of groups. */
public interface Groups {
  /** How many of these requests have not ended by themselves, by group. */
  Uni<Map<String, Long>> members(List<String> requests);
}
