package io.stoker.dispatcher.coordinator.control;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.runtime.Bisection;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.InOrder;
import java.util.List;
import java.util.Optional;

/** Does what people ask for; each message has its effect once, however often it comes. */
public final class ControlIntake {
  private final Controls controls;
  private final DeadLetters deadLetters;
  private final ControlAudit audit;
  private final Bisection<ControlRecord> cancels =
      new Bisection<>(this::cancel, this::refusedByDatabase);

  public ControlIntake(Controls controls, DeadLetters deadLetters, ControlAudit audit) {
    this.controls = controls;
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
    return controls
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
    return controls
        .apply(asked.message(), asked.record().sentBy())
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
}
