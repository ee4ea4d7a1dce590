package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.retention.Aged;
import java.util.Collection;
import java.util.List;

/** Finds and removes what has been over for long. */
public interface OldRows {
  /**
   * Requests that arrived after {@code after} and before {@code until}, locked, as far as nobody
   * else has them locked.
   *
   * @param before when it has to have ended, ms since 1970
   */
  Uni<List<Aged>> requests(long after, long until, long before, int limit);

  /** Which of these requests somebody waits for, or a job depends on that has not ended. */
  Uni<List<String>> named(Collection<String> requests);

  /** What these requests still wait for, if they ended before all of that came. */
  Uni<List<String>> waitedFor(Collection<String> requests);

  /** Removes requests; that they are gone is still to be published. */
  Uni<Integer> delete(Collection<String> requests);

  /** Removes those of these ids that nobody posted and nobody names any more. */
  Uni<Integer> deletePlaceholders(Collection<String> ids);

  /**
   * Removes cancels and refusals of ids that were never accepted, which came before then, unless
   * they are named.
   *
   * @return how many; {@code most} if there may be others
   */
  Uni<Integer> deleteStops(long now, long before, int most);

  /**
   * Jobs in order of their ids, which is about that of their making, locked.
   *
   * @param before when it has to have ended, ms since 1970
   */
  Uni<List<Aged>> jobs(String after, long before, int limit);

  /** Lets jobs that ended before then answer nobody any more. */
  Uni<Integer> forget(Collection<String> jobs, long before);

  /** Removes jobs that ended before then, answer nobody any more, and are of no request. */
  Uni<Integer> drop(Collection<String> jobs, long before);

  /** Removes the counts of groups that ended before then and have no request left. */
  Uni<Integer> dropGroups(long before);

  /**
   * No longer lists hosts that are lost or gone, of which nothing was heard or noted since then,
   * and on which nothing is open. Their rows stay: a host that comes back goes on with its epochs,
   * its key and what people told it.
   */
  Uni<Integer> unlistHosts(long before);
}
