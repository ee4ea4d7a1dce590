package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.OptionalLong;

/** Who schedules a fleet. */
public interface Fleet {
  /**
   * Locks the fleet.
   *
   * @return the store's clock if the epoch is still this one
   */
  Uni<OptionalLong> lock(String fleet, long epoch);

  /**
   * Notes whose statuses the holder is about to publish, in place of those that it has published.
   */
  Uni<Void> announce(String fleet, Collection<String> requests);
}
