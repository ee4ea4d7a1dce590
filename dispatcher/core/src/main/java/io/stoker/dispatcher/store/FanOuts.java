package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.FanOutRow;
import java.util.Collection;
import java.util.Optional;

/** Fan-outs that are not worked through yet. */
public interface FanOuts {
  /**
   * One that no other replica works on, until the end of the transaction. The row itself is left
   * unlocked: who starts it anew need not wait, nor be waited for, before {@link #lock}.
   *
   * @param except not these
   */
  Uni<Optional<FanOutRow.Key>> claim(Collection<FanOutRow.Key> except);

  /** Locks a fan-out, if it is still to be worked through. */
  Uni<Optional<FanOutRow>> lock(FanOutRow.Key key);
}
