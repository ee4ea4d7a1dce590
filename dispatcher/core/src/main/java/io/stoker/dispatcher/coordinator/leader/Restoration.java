package io.stoker.dispatcher.coordinator.leader;

import io.smallrye.mutiny.Uni;

/** Brings a restored store up to date before any replica schedules. */
public interface Restoration {
  /** Sees how far it is, and notes it if it is over. */
  Uni<Void> look();

  /** The store was not restored, or has been told all since. */
  void over();
}
