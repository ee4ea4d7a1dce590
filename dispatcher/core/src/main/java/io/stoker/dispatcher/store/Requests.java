package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.ledger.Input;
import io.stoker.dispatcher.ledger.RequestRow;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The requests. */
public interface Requests {
  /** Without a lock; unknown ids have no row. */
  Uni<List<RequestRow>> read(Collection<String> ids);

  /** For changes; unknown ids have no row. */
  Uni<List<RequestRow>> lock(Collection<String> ids);

  /** What is known of these requests as dependencies, by id. */
  Uni<Map<String, Input>> inputs(Collection<String> ids);

  /** Sharers of a job in order of id, from behind {@code after}. */
  Uni<List<String>> sharers(String job, String after, int limit);

  /** The ids of those of these jobs that have not ended by themselves, the starting ones too. */
  Uni<List<String>> sharing(Collection<String> jobs);
}
