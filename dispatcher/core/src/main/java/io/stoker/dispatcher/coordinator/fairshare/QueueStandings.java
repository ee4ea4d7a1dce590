package io.stoker.dispatcher.coordinator.fairshare;

import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.UsageRow;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Tells where queues stand, by what has ended as far as this replica knows. */
public final class QueueStandings {
  private final FairShare shares;
  private final UsageBook usage;

  public QueueStandings(FairShare shares, UsageBook usage) {
    this.shares = shares;
    this.usage = usage;
  }

  /**
   * By queue.
   *
   * @param besides what ends in a transaction that has not committed
   * @param queues those that are asked for; others that have been used are among them, too
   * @param now ms since 1970
   */
  public Map<String, Standing> of(
      Collection<UsageRow> besides, List<AttemptRow> open, Set<String> queues, long now) {
    return shares.standings(usage.ended(besides), open, queues, now);
  }
}
