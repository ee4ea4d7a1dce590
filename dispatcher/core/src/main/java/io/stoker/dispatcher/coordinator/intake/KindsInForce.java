package io.stoker.dispatcher.coordinator.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.kinds.Kinds;

/** The kinds by which requests are filled in. */
public interface KindsInForce {
  /** What is in force, however long the store is away. */
  Uni<Kinds> newest();
}
