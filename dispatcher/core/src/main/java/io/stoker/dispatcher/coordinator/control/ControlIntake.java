package io.stoker.dispatcher.coordinator.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Halving;
import io.stoker.dispatcher.runtime.InOrder;
import java.util.List;
import java.util.Optional;

/** Does what people ask for; each message has its effect once, however often it comes. */
public final class ControlIntake {
  private final RequestControl requests;
  private final GroupControl groups;
  private final HostControl hosts;
  private final PoolControl pools;
  private final DeadLetters deadLetters;
  private final ControlAudit audit;
  private final Halving<ControlRecord> cancels =
      new Halving<>(this::cancel, this::refusedByDatabase);

  public ControlIntake(
      RequestControl requests,
      GroupControl groups,
      HostControl hosts,
      PoolControl pools,
      DeadLetters deadLetters,
      ControlAudit audit) {
    this.requests = requests;
    this.groups = groups;
    this.hosts = hosts;
    this.pools = pools;
    this.deadLetters = deadLetters;
    this.audit = audit;
  }

  /** Does what these records ask for, one after the other. */
  public Uni<Void> take(List<Received> batch) {
    return InOrder.each(ControlRecord.runs(batch), this::applyRun);
  }

  /** A run of several are cancels. */
  private Uni<Void> applyRun(List<ControlRecord> run) {
    return run.size() == 1 ? apply(run.getFirst()) : cancels.apply(run);
  }

  private Uni<Void> cancel(List<ControlRecord> run) {
    return requests
        .cancel(
            run.stream()
                .map(ControlRecord::message)
                .map(ControlMessage.Cancel.class::cast)
                .toList())
        .invoke(() -> run.forEach(this::done));
  }

  private Uni<Void> apply(ControlRecord asked) {
    if (asked.message() == null) {
      return refused(asked, asked.flaw());
    }
    return apply(asked.message(), asked.record().sentBy())
        .onItemOrFailure()
        .transformToUni(
            (flaw, error) -> {
              if (error != null) {
                return refusedByDatabase(asked, error);
              }
              if (flaw.isPresent()) {
                return refused(asked, flaw.get());
              }
              done(asked);
              return Uni.createFrom().voidItem();
            });
  }

  private Uni<Void> refusedByDatabase(ControlRecord asked, Throwable error) {
    return refused(asked, Fault.refusal(error));
  }

  private void done(ControlRecord asked) {
    audit.over(asked.record(), Optional.of(asked.message()), Optional.empty());
  }

  private Uni<Void> refused(ControlRecord asked, String why) {
    return deadLetters
        .send(asked.record(), why)
        .invoke(
            () ->
                audit.over(asked.record(), Optional.ofNullable(asked.message()), Optional.of(why)));
  }

  private Uni<Optional<String>> apply(ControlMessage message, Optional<String> sentBy) {
    return switch (message) {
      case ControlMessage.Cancel cancel -> requests.cancel(cancel);
      case ControlMessage.Retry retry -> requests.retry(retry);
      case ControlMessage.Forget forget -> requests.forget(forget);
      case ControlMessage.Priority priority -> requests.prioritise(priority);
      case ControlMessage.Finish finish -> requests.finish(finish);
      case ControlMessage.Group group -> groups.apply(group);
      case ControlMessage.Cordon cordon -> hosts.cordon(cordon, sentBy);
      case ControlMessage.Drain drain -> hosts.drain(drain, sentBy);
      case ControlMessage.Uncordon uncordon -> hosts.uncordon(uncordon);
      case ControlMessage.RotateKey rotate -> hosts.rotateKey(rotate);
      case ControlMessage.RevokeKey revoke -> hosts.revokeKey(revoke);
      case ControlMessage.Policy policy -> hosts.policy(policy);
      case ControlMessage.Devices devices -> hosts.devices(devices);
      case ControlMessage.Pool pool -> pools.apply(pool);
    };
  }
}
