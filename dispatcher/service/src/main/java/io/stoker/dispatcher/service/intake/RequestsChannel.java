package io.stoker.dispatcher.service.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.intake.QueueDoor;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Halving;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.service.backup.Replay;
import io.stoker.dispatcher.service.config.Wakes;
import io.stoker.dispatcher.service.deadletter.DeadLetters;
import io.stoker.dispatcher.service.intake.IntakeTransaction.Accepted;
import io.stoker.dispatcher.service.kinds.KindsBook;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.runtime.Faults;
import io.stoker.dispatcher.service.status.StatusPublisher;
import io.stoker.dispatcher.status.StatusView;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.jboss.logging.Logger;

/**
 * Requests come in here, a batch at a time. A batch is acknowledged after its commit and after the
 * statuses that it caused are on Kafka; delivered again, it changes nothing.
 */
@ApplicationScoped
public class RequestsChannel {
  private static final Logger LOG = Logger.getLogger(RequestsChannel.class);

  private final IntakeTransaction transaction;
  private final StatusPublisher statuses;
  private final DeadLetters deadLetters;
  private final Wakes wakes;
  private final Topics topics;
  private final QueueDoor door;
  private final KindsBook kinds;
  private final Database database;
  private final Replay replay;
  private final Halving<IncomingRequest.Valid> acceptance =
      new Halving<>(this::accept, this::refusedByDatabase);

  RequestsChannel(
      IntakeTransaction transaction,
      StatusPublisher statuses,
      DeadLetters deadLetters,
      Wakes wakes,
      Topics topics,
      QueueDoor door,
      KindsBook kinds,
      Database database,
      Replay replay) {
    this.replay = replay;
    this.transaction = transaction;
    this.statuses = statuses;
    this.deadLetters = deadLetters;
    this.wakes = wakes;
    this.topics = topics;
    this.door = door;
    this.kinds = kinds;
    this.database = database;
  }

  @Incoming("requests")
  Uni<Void> accept(ConsumerRecords<byte[], byte[]> batch) {
    List<IncomingRequest> read =
        StreamSupport.stream(batch.spliterator(), false)
            .map(record -> IncomingRequest.read(record, topics, door))
            .toList();
    Uni<Void> sorted =
        read.stream().noneMatch(IncomingRequest.OfKind.class::isInstance)
            ? sort(read)
            : kinds.newest().chain(inForce -> sort(filled(read, inForce)));
    return sorted.invoke(() -> replay.taken(batch));
  }

  private List<IncomingRequest> filled(List<IncomingRequest> read, Kinds inForce) {
    return read.stream()
        .map(
            one ->
                one instanceof IncomingRequest.OfKind ofKind ? ofKind.filled(inForce, door) : one)
        .toList();
  }

  private Uni<Void> sort(List<IncomingRequest> read) {
    List<IncomingRequest.Valid> valid = new ArrayList<>();
    List<IncomingRequest.Refused> refused = new ArrayList<>();
    for (IncomingRequest request : read) {
      switch (request) {
        case IncomingRequest.Valid good -> valid.add(good);
        case IncomingRequest.Refused bad -> refused.add(bad);
        case IncomingRequest.OfKind open ->
            throw new IllegalStateException("its kind is not filled in: " + open.request().id());
      }
    }
    return acceptance.apply(valid).chain(() -> refuse(refused));
  }

  private Uni<Void> accept(List<IncomingRequest.Valid> valid) {
    return transaction
        .accept(valid.stream().map(IncomingRequest.Valid::request).toList())
        .chain(accepted -> publish(accepted, valid));
  }

  private Uni<Void> publish(Accepted accepted, List<IncomingRequest.Valid> valid) {
    wakes.afterIntake(accepted.ledger());
    return statuses.publishNamed(accepted.ledger()).chain(() -> answer(accepted.refusals(), valid));
  }

  private Uni<Void> refusedByDatabase(IncomingRequest.Valid bad, Throwable error) {
    String reason = Fault.refusal(error);
    return deadLetters
        .send(bad.record(), reason)
        .chain(() -> reject(bad.request().id(), Code.INVALID_REQUEST, reason));
  }

  private Uni<Void> answer(List<Refusal> refusals, List<IncomingRequest.Valid> valid) {
    if (refusals.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    Map<JobRequest, ConsumerRecord<byte[], byte[]>> records = new HashMap<>();
    valid.forEach(one -> records.put(one.request(), one.record()));
    return InOrder.each(refusals, refusal -> answer(refusal, records.get(refusal.request())));
  }

  private Uni<Void> answer(Refusal refusal, ConsumerRecord<byte[], byte[]> record) {
    return switch (refusal) {
      case Refusal.IdTaken taken -> deadLetters.send(record, taken.sentence());
      case Refusal.Cycle cycle -> reject(record, rejected(cycle));
      case Refusal.Full full -> reject(record, rejected(full));
    };
  }

  private Uni<Void> reject(ConsumerRecord<byte[], byte[]> record, RequestStatus status) {
    return deadLetters
        .send(record, status.reason())
        .chain(() -> statuses.publishRejected(List.of(status)));
  }

  /**
   * What the configuration does not allow any more may come again that it allowed before: that was
   * accepted, and stays so.
   */
  private Uni<Void> refuse(List<IncomingRequest.Refused> refused) {
    List<JobRequest> read = refused.stream().flatMap(one -> one.read().stream()).toList();
    if (read.isEmpty()) {
      return InOrder.each(refused, this::refuseNew);
    }
    return database
        .read(session -> ApiQueries.specs(session, read.stream().map(JobRequest::id).toList()))
        .chain(
            accepted -> {
              List<IncomingRequest.Refused> before =
                  refused.stream().filter(one -> wasAccepted(one, accepted)).toList();
              List<IncomingRequest.Refused> others = new ArrayList<>(refused);
              others.removeAll(before);
              List<String> again =
                  before.stream().map(one -> one.read().orElseThrow().id()).toList();
              return again.isEmpty()
                  ? InOrder.each(others, this::refuseNew)
                  : statuses
                      .publishCurrent(again)
                      .chain(() -> InOrder.each(others, this::refuseNew));
            });
  }

  private static boolean wasAccepted(IncomingRequest.Refused one, Map<String, String> accepted) {
    return one.read()
        .filter(request -> request.spec().equals(accepted.get(request.id())))
        .isPresent();
  }

  private Uni<Void> refuseNew(IncomingRequest.Refused one) {
    String reason = one.why().getMessage();
    return deadLetters
        .send(one.record(), reason)
        .chain(
            () ->
                one.why().id().isPresent()
                    ? reject(one.why().id().get(), one.code(), reason)
                    : Uni.createFrom().voidItem());
  }

  /** A database that refuses to remember the refusal, too, keeps nobody from being told of it. */
  private Uni<Void> reject(String id, Code code, String reason) {
    return transaction
        .refuse(id, code, reason)
        .invoke(wakes::afterIntake)
        .replaceWithVoid()
        .onFailure(error -> Faults.of(error) != Fault.OUTAGE)
        .invoke(error -> LOG.warnf("the refusal of %s is not remembered: %s", id, error))
        .onFailure(error -> Faults.of(error) != Fault.OUTAGE)
        .recoverWithNull()
        .chain(() -> statuses.publishRejected(List.of(rejected(id, code, reason))));
  }

  private static RequestStatus rejected(Refusal refusal) {
    return rejected(refusal.request().id(), refusal.code(), refusal.sentence());
  }

  private static RequestStatus rejected(String id, Code code, String reason) {
    return StatusView.rejected(id, code, reason, System.currentTimeMillis());
  }
}
