package io.stoker.simulation;

import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import java.util.List;

/** Stored requests that cannot be read any more, as if an update had tightened a rule. */
final class Poison {
  private static final String NO_REQUEST = "{\"id\":1}";

  private Poison() {}

  /** Spoils the row of some request that has not ended. */
  static void one(World world, Tables tables) {
    List<RequestRow> live =
        tables.requests.values().stream()
            .filter(row -> !row.isPlaceholder() && !tables.state(row).terminal())
            .filter(row -> StoredRequest.readable(row).isPresent())
            .toList();
    if (!live.isEmpty()) {
      RequestRow row = world.chance.of(live);
      world.note("an update", "cannot read request " + row.id());
      tables.requests.put(row.id(), row.inForce(NO_REQUEST));
    }
  }

  /** Whether a step failed for such a row. */
  static boolean isOf(Throwable error) {
    return error instanceof IllegalStateException
        && String.valueOf(error.getMessage()).startsWith("the stored request ");
  }
}
