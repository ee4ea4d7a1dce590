package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.Hold;
import java.util.List;

/** Room that is made for jobs in line; the lock on the fleet guards it. */
public interface Holds {
  /** A hold, and whether its job is still in line. */
  record Held(Hold hold, boolean inLine) {}

  /** All of them, the oldest first. */
  Uni<List<Held>> all();

  /** Writes new ones, changed ones, and that some are over. */
  Uni<Void> write(List<Hold> made, List<Hold> changed, List<String> released);
}
