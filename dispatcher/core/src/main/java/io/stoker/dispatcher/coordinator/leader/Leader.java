package io.stoker.dispatcher.coordinator.leader;

import java.util.OptionalLong;

/**
 * Tells whether this replica schedules the fleet. It may be wrong at any moment: who places locks
 * the fleet and checks its epoch.
 */
public interface Leader {
  String fleet();

  /** The epoch under which this replica schedules, if it does. */
  OptionalLong epoch();

  /** The store says that somebody else schedules. */
  void lost();
}
