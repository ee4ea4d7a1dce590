package io.stoker.dispatcher.coordinator.commit;

import io.stoker.dispatcher.model.UnitOfWork;

/**
 * Hints, after a commit, that there is work for others: placement, fan-outs, messages for agents.
 * They must not fail. A lost hint costs at most a second: the sweep looks anyway.
 */
public interface CommitEvents {
  /** Requests came in, or jobs were put in line. */
  void afterIntake(UnitOfWork committed);

  /** Attempts or requests ended, which frees capacity. */
  void afterEnds(UnitOfWork committed);

  /** Hosts came, went or changed. */
  void capacityChanged();

  /** Some time has passed in which what was told to hosts may have been lost. */
  void timePassed();

  /** There may be fan-outs to work through. */
  void fanOutWanted();
}
