package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.PreemptionReservation;
import java.util.List;

/** Room that is made for jobs in line; the lock on the fleet guards it. */
public interface PreemptionReservations {
  /** A hold, and whether its job is still in line. */
  record Held(PreemptionReservation hold, boolean inLine) {}

  /** All of them, the oldest first. */
  Uni<List<Held>> all();

  /** Writes new ones, changed ones, and that some are over. */
  Uni<Void> write(
      List<PreemptionReservation> made, List<PreemptionReservation> changed, List<String> released);
}
