package io.stoker.dispatcher.service.fairshare;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.ledger.UsageRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.config.Wakes.Committed;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.UsageTable;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What ended attempts come to, as the scheduler knows it: the database's figures as of the last
 * fold, and what this replica's own transactions have added since. What another replica adds is
 * seen with the next fold.
 */
@ApplicationScoped
public class UsageBook {
  private final Database database;
  private final Decay decay;
  private final Isolation<String> queues;
  private final Map<String, Usage> byQueue = new HashMap<>();

  UsageBook(Database database, Decay decay, SetAsides asides) {
    queues = asides.isolation("usage", queue -> queue, this::fold);
    this.database = database;
    this.decay = decay;
  }

  public synchronized Collection<Usage> ended() {
    return List.copyOf(byQueue.values());
  }

  /** Folds what all replicas have added, and reads the sums. */
  public Uni<Void> fold() {
    return queues
        .allOrApart(
            () ->
                database
                    .transaction(
                        session ->
                            Database.now(session)
                                .chain(now -> UsageTable.fold(session, decay, now)))
                    .replaceWithVoid(),
            () -> database.read(UsageTable::unfolded))
        .chain(() -> database.read(UsageTable::all))
        .invoke(this::folded)
        .replaceWithVoid();
  }

  private Uni<Void> fold(List<String> some) {
    return database
        .transaction(
            session ->
                Database.now(session).chain(now -> UsageTable.fold(session, decay, now, some)))
        .replaceWithVoid();
  }

  synchronized void note(@Observes Committed done) {
    for (UsageRow row : done.ledger().usage()) {
      Usage known =
          byQueue.getOrDefault(row.queue(), new Usage(row.queue(), DeviceTime.NONE, row.at()));
      byQueue.put(row.queue(), known.plus(row, decay));
    }
  }

  private synchronized void folded(List<Usage> all) {
    byQueue.clear();
    all.forEach(usage -> byQueue.put(usage.queue(), usage));
  }
}
