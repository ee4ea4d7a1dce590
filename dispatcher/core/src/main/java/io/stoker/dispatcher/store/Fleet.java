package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Takeover;
import io.stoker.dispatcher.placement.Reservation;
import java.util.Collection;
import java.util.List;
import java.util.OptionalLong;

/** The port to the fleet's row: who schedules. */
public interface Fleet {
  /** Whether the store was restored, and is still to be told what it has lost. */
  Uni<Boolean> restoring();

  /**
   * Claims the fleet, or renews the claim.
   *
   * @param termMs how long it holds without being renewed
   * @param before what the replica has seen of it until now
   * @param nowMs on the clock of that
   */
  Uni<Takeover.Look> claim(String fleet, String replica, long termMs, Takeover before, long nowMs);

  /** Forgets fleets that nobody schedules any more, as they are left behind when one is renamed. */
  Uni<Void> forgetOthers(String fleet);

  /** Locks the fleet's row. Returns the store's clock if the epoch is still this one. */
  Uni<OptionalLong> lock(String fleet, long epoch);

  /**
   * Locks the fleet's row if nobody else has it.
   *
   * @return whether that was done, and the epoch is still this one
   */
  Uni<Boolean> tryLock(String fleet, long epoch);

  /**
   * Notes whose statuses the holder is about to publish, in place of those that it has published.
   */
  Uni<Void> announce(String fleet, Collection<String> requests);

  /**
   * Notes for whom the holder keeps hosts free, for others to show: nothing is decided by it.
   *
   * @param epoch in which that holds
   */
  Uni<Void> reserve(String fleet, long epoch, List<Reservation> reservations);

  /** Owes what the holder before may have died of publishing. */
  Uni<Void> oweAnnounced(String fleet);

  /** Gives the fleet up, so that another replica need not wait. */
  Uni<Integer> release(String fleet, String replica);
}
