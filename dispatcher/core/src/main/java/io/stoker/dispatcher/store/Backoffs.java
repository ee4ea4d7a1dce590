package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.BackoffRow;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Failed jobs that wait before their next attempt. */
public interface Backoffs {
  /**
   * Those whose wait is over at that time, the longest over first; and those beyond all waits,
   * which were written while the clock was ahead.
   *
   * @param far later than any wait can be that began by now, ms since 1970
   * @param except not of these jobs
   */
  Uni<List<BackoffRow>> due(long now, long far, int most, Collection<String> except);

  /** When the next wait is over, ms since 1970; nothing if none waits. */
  Uni<Optional<Long>> next();
}
