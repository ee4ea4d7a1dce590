package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.memory.Peaks;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Peaks of memory that were measured. */
public interface MemoryPeaks {
  /** What is known of these; of others there is no entry. */
  Uni<Map<String, Peaks>> peaks(Collection<String> keys);

  /** Folds what was added since the last time. */
  Uni<Void> fold();

  /** As the other one, of these keys alone. */
  Uni<Void> fold(List<String> keys);

  /** Some of the keys of which something is to be folded. */
  Uni<List<String>> unfolded(int most);

  /** Forgets what nothing was added to since. */
  Uni<Void> forget(long before);
}
