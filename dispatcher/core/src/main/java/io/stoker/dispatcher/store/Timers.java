package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.TimerRow;
import java.util.Collection;
import java.util.List;

/** Timers that have not run out, and those that nobody has applied yet. */
public interface Timers {
  /**
   * Those that have run out by the store's clock, the longest ago first.
   *
   * @param except not these
   */
  Uni<List<TimerRow>> due(int limit, Collection<TimerRow.Key> except);

  /** Those of these that have run out, as they are now. */
  Uni<List<TimerRow>> stillDue(Collection<TimerRow.Key> keys);
}
