package io.stoker.dispatcher.coordinator.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.runtime.Bisection;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.status.StatusView;
import java.util.List;

/** Remembers that requests were refused, and publishes that. */
public final class RejectedStatuses {
  private static final System.Logger LOG = System.getLogger(RejectedStatuses.class.getName());

  private final Environment environment;
  private final IntakeTransaction transaction;
  private final CommitEvents commits;
  private final StatusPublisher statuses;
  private final Bisection<RequestStatus> remembering;

  public RejectedStatuses(
      Environment environment,
      IntakeTransaction transaction,
      CommitEvents commits,
      StatusPublisher statuses) {
    this.environment = environment;
    this.transaction = transaction;
    this.commits = commits;
    this.statuses = statuses;
    remembering =
        new Bisection<>(
            this::remember,
            RejectedStatuses::notRemembered,
            error -> environment.fault(error) != Fault.OUTAGE);
  }

  /** The status of a request that is refused now. */
  RequestStatus of(String id, String queue, Code code, String reason) {
    return StatusView.rejected(id, queue, code, reason, environment.now());
  }

  /** Whoever depends on them need not wait for them. */
  Uni<Void> rememberAndPublish(List<RequestStatus> rejected) {
    return remembering.apply(rejected).chain(() -> publish(rejected));
  }

  private Uni<Void> remember(List<RequestStatus> rejected) {
    return transaction.refuse(rejected).invoke(commits::afterIntake).replaceWithVoid();
  }

  /** A database that refuses to remember the refusal, too, keeps nobody from being told of it. */
  private static Uni<Void> notRemembered(RequestStatus rejected, Throwable error) {
    LOG.log(
        System.Logger.Level.WARNING,
        () -> "the refusal of %s is not remembered: %s".formatted(rejected.id(), error));
    return Uni.createFrom().voidItem();
  }

  Uni<Void> publish(List<RequestStatus> rejected) {
    return rejected.isEmpty() ? Uni.createFrom().voidItem() : statuses.publishRejected(rejected);
  }
}
