package io.stoker.dispatcher.coordinator.status;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.status.LastStatuses;
import io.stoker.dispatcher.status.LastStatuses.Last;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Owes a request its status where the last record of it on a topic is not its newest: two replicas
 * may have published in the other order than they changed it, and one of them may be gone.
 */
public final class LastStatusCheck {
  private static final System.Logger LOG = System.getLogger(LastStatusCheck.class.getName());

  private final Environment environment;
  private final Store store;
  private final StatusPublisher publisher;
  private final int atOnce;

  /** Who asked may have given up before an answer comes: both take their turn at it. */
  private final LastStatuses last = new LastStatuses();

  /**
   * @param atOnce how many are compared in one transaction, at most
   */
  public LastStatusCheck(
      Environment environment, Store store, StatusPublisher publisher, int atOnce) {
    this.environment = environment;
    this.store = store;
    this.publisher = publisher;
    this.atOnce = atOnce;
  }

  /**
   * A record was read.
   *
   * @param version that it told; below all others if it tells none
   * @param partition other for each partition of each topic
   */
  public void read(String request, long version, int partition, long offset) {
    synchronized (last) {
      last.read(new Last(request, version, partition, offset, environment.steadyMs()));
    }
  }

  /**
   * Compares some of those that none has followed for a while.
   *
   * @return whether there were any: then there may be more
   */
  public Uni<Boolean> compare() {
    List<Last> due;
    synchronized (last) {
      due = last.due(environment.steadyMs(), atOnce);
    }
    if (due.isEmpty()) {
      return Uni.createFrom().item(false);
    }
    Map<String, Long> versions =
        due.stream().collect(Collectors.toMap(Last::request, Last::version, Math::min));
    return store
        .once("last statuses", tx -> oweOvertaken(tx, versions))
        .invoke(
            overtaken -> {
              if (!overtaken.isEmpty()) {
                LOG.log(
                    Level.DEBUG,
                    () -> "published again, since an older status came last: " + overtaken);
                publisher.wake();
              }
              synchronized (last) {
                last.compared(due);
              }
            })
        .replaceWith(true);
  }

  private static Uni<List<String>> oweOvertaken(Transaction tx, Map<String, Long> versions) {
    return tx.statuses()
        .versionsAbove(versions)
        .map(newer -> List.copyOf(newer.keySet()))
        .call(
            newer -> newer.isEmpty() ? Uni.createFrom().voidItem() : tx.owedStatuses().owe(newer));
  }

  /** From where whoever comes next has to read, as {@link LastStatuses#from}. */
  public Map<Integer, Long> from() {
    synchronized (last) {
      return last.from();
    }
  }

  /** Somebody else reads on. */
  public void clear() {
    synchronized (last) {
      last.clear();
    }
  }
}
