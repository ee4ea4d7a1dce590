package io.stoker.dispatcher.coordinator.attempt;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.AttemptEvent;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports.Distrusted;
import io.stoker.dispatcher.attempt.ReportedEvents;
import io.stoker.dispatcher.coordinator.attempt.EventsTransaction.Applied;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.host.RecentRejections;
import io.stoker.dispatcher.runtime.Background;
import io.stoker.dispatcher.runtime.Bisection;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.MicroBatcher.Worked;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiPredicate;

/**
 * Applies what agents report, a batch at a time: after its commit the next one is applied, while
 * the statuses that it caused are published. Applied again, a batch changes nothing.
 */
public final class EventIntake {
  private final Environment environment;
  private final EventsTransaction transaction;
  private final CommitFollowUp followUp;
  private final DeadLetters deadLetters;
  private final RecentRejections rejections;
  private final BiPredicate<String, byte[]> sealed;

  /**
   * @param sealed tells of a host and a record's bytes whether that is signed as a whole with the
   *     host's key
   */
  public EventIntake(
      Environment environment,
      EventsTransaction transaction,
      CommitFollowUp followUp,
      DeadLetters deadLetters,
      RecentRejections rejections,
      BiPredicate<String, byte[]> sealed) {
    this.environment = environment;
    this.transaction = transaction;
    this.followUp = followUp;
    this.deadLetters = deadLetters;
    this.rejections = rejections;
    this.sealed = sealed;
  }

  /** Applies what these records report, in their order. */
  public Uni<Worked> take(List<Received> batch) {
    Map<AttemptReport, Received> origins = new IdentityHashMap<>();
    List<AttemptReport> reports = new ArrayList<>();
    Background telling = new Background(environment);
    for (Received record : batch) {
      ReportedEvents read = ReportedEvents.read(record.content(), sealed);
      read.reports().forEach(report -> origins.put(report, record));
      reports.addAll(read.reports());
      read.flaw().ifPresent(flaw -> telling.begin(deadLetters.send(record, flaw)));
    }
    long jobs = reports.stream().map(report -> report.event().job()).distinct().count();
    return apply(reports, origins, telling).map(done -> new Worked((int) jobs, telling.done()));
  }

  private Uni<Void> apply(
      List<AttemptReport> reports, Map<AttemptReport, Received> origins, Background telling) {
    return new Bisection<AttemptReport>(
            together -> together(together, origins, telling),
            (report, error) -> refused(report, error, origins, telling))
        .apply(reports);
  }

  private Uni<Void> together(
      List<AttemptReport> reports, Map<AttemptReport, Received> origins, Background telling) {
    return transaction
        .apply(reports)
        .invoke(applied -> telling.begin(publish(applied, noteFreed(reports), origins)))
        .replaceWithVoid();
  }

  /** An end stays one, even if nothing of what is said of it can be kept. */
  private Uni<Void> refused(
      AttemptReport report,
      Throwable error,
      Map<AttemptReport, Received> origins,
      Background telling) {
    Optional<AttemptReport> bare = report.bare(Fault.sentence(error));
    if (bare.isEmpty()) {
      return deadLetters.send(origins.get(report), Fault.refusal(error));
    }
    origins.put(bare.get(), origins.get(report));
    return together(List.of(bare.get()), origins, telling)
        .onFailure()
        .recoverWithUni(again -> deadLetters.send(origins.get(report), Fault.refusal(again)));
  }

  /**
   * A host on which something ended may take again what it had no room for.
   *
   * @return whether there are such hosts
   */
  private boolean noteFreed(List<AttemptReport> reports) {
    return reports.stream()
        .filter(report -> report.event().type() == AttemptEvent.Type.ENDED)
        .filter(report -> report.event().outcome() != AttemptEvent.Outcome.RETURNED)
        .map(AttemptReport::host)
        .distinct()
        .map(rejections::changed)
        .reduce(false, Boolean::logicalOr);
  }

  private Uni<Void> publish(Applied applied, boolean freed, Map<AttemptReport, Received> origins) {
    applied.outcome().refusals().forEach(rejections::refused);
    Uni<Void> published =
        applied.given() && !freed
            ? followUp.afterIntake(applied.unit())
            : followUp.afterEnds(applied.unit());
    for (Distrusted distrusted : applied.outcome().distrusted()) {
      published =
          published.chain(
              () -> deadLetters.send(origins.get(distrusted.report()), distrusted.reason()));
    }
    return published;
  }
}
