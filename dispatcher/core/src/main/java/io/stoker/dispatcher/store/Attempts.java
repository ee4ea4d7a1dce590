package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.AttemptRow;
import java.util.List;

/** Open attempts. */
public interface Attempts {
  /** Everything open; as many rows as the fleet has devices and slots. */
  Uni<List<AttemptRow>> all();
}
