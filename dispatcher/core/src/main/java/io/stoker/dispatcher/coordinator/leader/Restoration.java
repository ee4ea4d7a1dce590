package io.stoker.dispatcher.coordinator.leader;

import io.smallrye.mutiny.Uni;

/** What a restored store is to be told before anybody schedules. */
public interface Restoration {
  /** Sees how far it is, and notes it if it is over. */
  Uni<Void> look();

  /** The store was not restored, or has been told all since. */
  void over();
}
