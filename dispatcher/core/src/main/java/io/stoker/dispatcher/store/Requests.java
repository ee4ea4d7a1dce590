package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Input;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** The table of requests. */
public interface Requests {
  /** Without a lock; unknown ids have no row. */
  Uni<List<RequestRow>> read(Collection<String> ids);

  /** What is known of these requests as dependencies, by id. */
  Uni<Map<String, Input>> inputs(Collection<String> ids);

  /** Sharers of a job in order of id, from behind {@code after}. */
  Uni<List<String>> sharers(String job, String after, int limit);

  /** For changes; unknown ids have no row. */
  Uni<List<RequestRow>> lock(Collection<String> ids);

  /**
   * Requests of these jobs which have not ended by themselves, the starting ones included; for
   * changes.
   */
  Uni<List<RequestRow>> lockSharing(Collection<String> jobs);

  /** Has a unit of work hold those of {@link #lockSharing}; asks nothing for no jobs. */
  default Uni<Void> holdSharing(UnitOfWork unit, Collection<String> jobs) {
    return jobs.isEmpty()
        ? Uni.createFrom().voidItem()
        : lockSharing(jobs).invoke(unit.requests()::loadAll).replaceWithVoid();
  }

  /** The contents under which these ids were accepted; unknown ids have none. */
  Uni<Map<String, String>> specs(Collection<String> ids);

  /** The ids of those of {@link #lockSharing}, which are not locked. */
  Uni<List<String>> sharing(Collection<String> jobs);

  /** Those of these jobs that are shared. */
  Uni<List<String>> sharedAmong(Collection<String> jobs);

  /**
   * Some requests of these jobs which have not ended by themselves, the starting ones included,
   * without locks: the jobs' locks keep others from coming. Large ones are left out.
   */
  Uni<List<RequestRow>> readSharing(Collection<String> jobs, int most);
}
