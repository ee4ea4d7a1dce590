package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The table of requests. */
public interface Requests {
  /** For changes; unknown ids have no row. */
  Uni<List<RequestRow>> lock(Collection<String> ids);

  /**
   * Requests of these jobs which have not ended by themselves, the starting ones included; for
   * changes.
   */
  Uni<List<RequestRow>> lockSharing(Collection<String> jobs);

  /** Has a ledger hold those of {@link #lockSharing}; asks nothing for no jobs. */
  default Uni<Void> holdSharing(Ledger ledger, Collection<String> jobs) {
    return jobs.isEmpty()
        ? Uni.createFrom().voidItem()
        : lockSharing(jobs).invoke(ledger.requests()::loadAll).replaceWithVoid();
  }

  /** The contents under which these ids were accepted; unknown ids have none. */
  Uni<Map<String, String>> specs(Collection<String> ids);

  /** The ids of those of {@link #lockSharing}, which are not locked. */
  Uni<List<String>> sharing(Collection<String> jobs);
}
