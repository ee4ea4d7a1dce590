package io.stoker.dispatcher.coordinator.commit;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.model.UnitOfWork;
import java.util.Collection;

/** Wakes those who go on from what a transaction has committed, and publishes its statuses. */
public final class CommitFollowUp {
  private final CommitEvents commits;
  private final StatusPublisher statuses;

  public CommitFollowUp(CommitEvents commits, StatusPublisher statuses) {
    this.commits = commits;
    this.statuses = statuses;
  }

  /** Requests came in, or jobs were put in line; done when their statuses are published. */
  public Uni<Void> afterIntake(UnitOfWork committed) {
    commits.afterIntake(committed);
    return statuses.publishNamed(committed);
  }

  /** The same, of what is owed by somebody else, too: nobody waits for the statuses. */
  public void soonAfterIntake(UnitOfWork committed) {
    commits.afterIntake(committed);
    statuses.publishSoon(committed);
  }

  /** Attempts or requests ended; done when their statuses are published. */
  public Uni<Void> afterEnds(UnitOfWork committed) {
    commits.afterEnds(committed);
    return statuses.publishNamed(committed);
  }

  /** The same, where the statuses are owed. */
  public void afterOwedEnds(UnitOfWork committed) {
    commits.afterEnds(committed);
    statuses.wakeIfOwed(committed);
  }

  /** A host came, went or changed, with what was on it. */
  public void afterHostChange(UnitOfWork committed) {
    commits.afterEnds(committed);
    commits.capacityChanged();
    statuses.wake();
  }

  /** What was committed before is told again. */
  public Uni<Void> again(Collection<String> requests) {
    return statuses.publishCurrent(requests);
  }
}
