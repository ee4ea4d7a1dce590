package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.RequestRow;
import java.util.Collection;
import java.util.List;

/** The requests. */
public interface Requests {
  /** The ids of those of these jobs that have not ended by themselves, the starting ones too. */
  Uni<List<String>> sharing(Collection<String> jobs);

  /** Those of these jobs that are shared. */
  Uni<List<String>> sharedAmong(Collection<String> jobs);

  /**
   * Some requests of these jobs which have not ended by themselves, the starting ones included,
   * without locks: the jobs' locks keep others from coming. Large ones are left out.
   */
  Uni<List<RequestRow>> readSharing(Collection<String> jobs, int most);
}
