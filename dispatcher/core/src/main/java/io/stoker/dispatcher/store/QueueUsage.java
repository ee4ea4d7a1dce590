package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.Usage;
import java.util.List;

/** The port to the use of queues. */
public interface QueueUsage {
  /** Folds what was added since the last time. */
  Uni<Void> fold(Decay decay, long now);

  /** As the other one, of these queues alone. */
  Uni<Void> fold(Decay decay, long now, List<String> queues);

  /** Queues of which something is to be folded. */
  Uni<List<String>> unfolded();

  /** All that was folded. */
  Uni<List<Usage>> all();
}
