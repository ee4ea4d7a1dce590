package io.stoker.dispatcher.service.attempt;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.AttemptEvent;
import io.stoker.dispatcher.attempt.AttemptReport;
import io.stoker.dispatcher.attempt.AttemptReports.Distrusted;
import io.stoker.dispatcher.attempt.ReportedEvents;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.runtime.Background;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Halving;
import io.stoker.dispatcher.runtime.Inbox.Worked;
import io.stoker.dispatcher.service.attempt.EventsTransaction.Applied;
import io.stoker.dispatcher.service.backup.Replay;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.deadletter.DeadLetters;
import io.stoker.dispatcher.service.runtime.PolledInbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;

/** What agents report comes in here, a batch at a time; acknowledged as requests are. */
@ApplicationScoped
public class EventsChannel {
  private final EventsTransaction transaction;
  private final StatusPublisher statuses;
  private final DeadLetters deadLetters;
  private final Refusals refusals;
  private final Wakes wakes;
  private final Replay replay;
  private final HostKeys keys;
  private final Environment environment;
  private final PolledInbox inbox;

  EventsChannel(
      Environment environment,
      EventsTransaction transaction,
      StatusPublisher statuses,
      DeadLetters deadLetters,
      Refusals refusals,
      Wakes wakes,
      Replay replay,
      HostKeys keys) {
    this.environment = environment;
    inbox = new PolledInbox("events", environment, this::apply);
    this.replay = replay;
    this.keys = keys;
    this.transaction = transaction;
    this.statuses = statuses;
    this.deadLetters = deadLetters;
    this.refusals = refusals;
    this.wakes = wakes;
  }

  @Incoming("events")
  Uni<Void> receive(Message<ConsumerRecords<byte[], byte[]>> polled) {
    return inbox.put(polled);
  }

  private Uni<Worked> apply(List<ConsumerRecords<byte[], byte[]>> batch) {
    Map<AttemptReport, ConsumerRecord<byte[], byte[]>> origins = new IdentityHashMap<>();
    List<AttemptReport> reports = new ArrayList<>();
    Background telling = new Background(environment);
    for (ConsumerRecords<byte[], byte[]> polled : batch) {
      for (ConsumerRecord<byte[], byte[]> record : polled) {
        byte[] value = record.value() == null ? new byte[0] : record.value();
        ReportedEvents read = ReportedEvents.read(value, keys::sealed);
        read.reports().forEach(report -> origins.put(report, record));
        reports.addAll(read.reports());
        read.flaw().ifPresent(flaw -> telling.begin(deadLetters.send(record, flaw)));
      }
    }
    long jobs = reports.stream().map(report -> report.event().job()).distinct().count();
    return apply(reports, origins, telling)
        .invoke(() -> batch.forEach(replay::taken))
        .map(done -> new Worked((int) jobs, telling.done()));
  }

  private Uni<Void> apply(
      List<AttemptReport> reports,
      Map<AttemptReport, ConsumerRecord<byte[], byte[]>> origins,
      Background telling) {
    return new Halving<AttemptReport>(
            together -> together(together, origins, telling),
            (report, error) -> refused(report, error, origins, telling))
        .apply(reports);
  }

  private Uni<Void> together(
      List<AttemptReport> reports,
      Map<AttemptReport, ConsumerRecord<byte[], byte[]>> origins,
      Background telling) {
    return transaction
        .apply(reports)
        .invoke(() -> noteFreed(reports))
        .invoke(applied -> telling.begin(publish(applied, origins)))
        .replaceWithVoid();
  }

  /** An end stays one, even if nothing of what is said of it can be kept. */
  private Uni<Void> refused(
      AttemptReport report,
      Throwable error,
      Map<AttemptReport, ConsumerRecord<byte[], byte[]>> origins,
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

  /** A host on which something ended may take again what it had no room for. */
  private void noteFreed(List<AttemptReport> reports) {
    reports.stream()
        .filter(report -> report.event().type() == AttemptEvent.Type.ENDED)
        .filter(report -> report.event().outcome() != AttemptEvent.Outcome.RETURNED)
        .map(AttemptReport::host)
        .distinct()
        .forEach(refusals::changed);
  }

  private Uni<Void> publish(
      Applied applied, Map<AttemptReport, ConsumerRecord<byte[], byte[]>> origins) {
    applied.outcome().refusals().forEach(refusals::refused);
    wakes.afterEnds(applied.ledger());
    Uni<Void> published = statuses.publishNamed(applied.ledger());
    for (Distrusted distrusted : applied.outcome().distrusted()) {
      published =
          published.chain(
              () -> deadLetters.send(origins.get(distrusted.report()), distrusted.reason()));
    }
    return published;
  }
}
