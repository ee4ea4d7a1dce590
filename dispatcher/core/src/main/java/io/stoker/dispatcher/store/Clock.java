package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;

/** By how much the clock of all transactions is ahead of the store's wall clock. */
public interface Clock {
  /**
   * What the clock shows.
   *
   * @param clock ms since 1970, with the correction
   * @param correction ms, negative where it is behind the wall clock
   * @param before what it showed when a fleet was last claimed; 0 if none has been
   */
  record Shown(long clock, long correction, long before) {}

  Uni<Shown> look();

  /**
   * Adds to the correction. Set back, it corrects what came while the clock was ahead, too: the
   * time-outs of requests that would otherwise arrive later than now.
   */
  Uni<Void> correct(long byMs);
}
