package io.stoker.dispatcher.coordinator.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import io.stoker.common.state.Code;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction.Accepted;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.intake.QueueDoor;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.runtime.Background;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Halving;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.Inbox.Worked;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.dispatcher.store.Store;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes requests in, a batch at a time: after its commit the next one is taken in, while the
 * statuses that it caused are published. Taken in again, a batch changes nothing.
 */
public final class RequestIntake {
  private static final System.Logger LOG = System.getLogger(RequestIntake.class.getName());

  /** Batches side by side: while Postgres writes one, the next one is read and decided. */
  public static final int BATCHES = 2;

  /** Requests that one transaction takes in, at most. */
  private static final int MOST = 1_000;

  private final Environment environment;
  private final Store store;
  private final IntakeTransaction transaction;
  private final StatusPublisher statuses;
  private final DeadLetters deadLetters;
  private final CommitEvents events;
  private final Topics topics;
  private final QueueDoor door;
  private final KindsInForce kinds;
  private final Halving<RequestStatus> remembering;

  public RequestIntake(
      Environment environment,
      Store store,
      IntakeTransaction transaction,
      StatusPublisher statuses,
      DeadLetters deadLetters,
      CommitEvents events,
      Topics topics,
      QueueDoor door,
      KindsInForce kinds) {
    this.environment = environment;
    this.store = store;
    this.transaction = transaction;
    this.statuses = statuses;
    this.deadLetters = deadLetters;
    this.events = events;
    this.topics = topics;
    this.door = door;
    this.kinds = kinds;
    remembering =
        new Halving<>(
            this::remember,
            RequestIntake::notRemembered,
            error -> environment.fault(error) != Fault.OUTAGE);
  }

  /** Takes in what these records hold, in their order. */
  public Uni<Worked> take(List<Received> batch) {
    List<Origin> requests = new ArrayList<>();
    List<IncomingRequest.Refused> unreadable = new ArrayList<>();
    for (Received record : batch) {
      try {
        requests.addAll(Origin.of(record));
      } catch (RequestRefused e) {
        unreadable.add(new IncomingRequest.Refused(Origin.whole(record), e, Optional.empty()));
      }
    }
    Background telling = new Background(environment);
    return InOrder.each(
            Slices.of(requests, RequestIntake::weight, Limits.AT_ONCE), some -> take(some, telling))
        .chain(() -> refuse(unreadable))
        .map(done -> new Worked(requests.size(), telling.done()));
  }

  /** Of small ones {@value #MOST} at once take as much as of large ones what may be held. */
  private static long weight(Origin request) {
    return Math.max(request.bytes(), Limits.AT_ONCE / MOST);
  }

  private Uni<Void> take(List<Origin> some, Background telling) {
    List<IncomingRequest> read =
        some.stream().map(request -> IncomingRequest.read(request, topics, door)).toList();
    return read.stream().noneMatch(IncomingRequest.OfKind.class::isInstance)
        ? sort(read, telling)
        : kinds.newest().chain(inForce -> sort(filled(read, inForce), telling));
  }

  private List<IncomingRequest> filled(List<IncomingRequest> read, Kinds inForce) {
    return read.stream()
        .map(
            one ->
                one instanceof IncomingRequest.OfKind ofKind ? ofKind.filled(inForce, door) : one)
        .toList();
  }

  private Uni<Void> sort(List<IncomingRequest> read, Background telling) {
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
    return new Halving<IncomingRequest.Valid>(
            some -> accept(some, telling), this::refusedByDatabase)
        .apply(valid)
        .chain(() -> refuse(refused));
  }

  private Uni<Void> accept(List<IncomingRequest.Valid> valid, Background telling) {
    Map<String, String> senders = new HashMap<>();
    for (IncomingRequest.Valid one : valid) {
      // Of several with one id the first is accepted.
      if (!senders.containsKey(one.request().id())) {
        senders.put(one.request().id(), one.origin().record().sentBy().orElse(null));
      }
    }
    return transaction
        .accept(valid.stream().map(IncomingRequest.Valid::request).toList(), senders)
        .invoke(accepted -> telling.begin(publish(accepted, valid)))
        .replaceWithVoid();
  }

  private Uni<Void> publish(Accepted accepted, List<IncomingRequest.Valid> valid) {
    events.afterIntake(accepted.ledger());
    Uni<Void> published = statuses.publishNamed(accepted.ledger());
    // What waits for the broker holds nothing of the batch where nobody is to be answered.
    return accepted.refusals().isEmpty()
        ? published
        : published.chain(() -> answer(accepted.refusals(), valid));
  }

  private Uni<Void> refusedByDatabase(IncomingRequest.Valid bad, Throwable error) {
    String reason = bad.origin().sentence(Fault.refusal(error));
    return putAside(bad.origin(), reason)
        .chain(() -> reject(List.of(rejected(bad.request(), Code.INVALID_REQUEST, reason))));
  }

  private Uni<Void> answer(List<Refusal> refusals, List<IncomingRequest.Valid> valid) {
    if (refusals.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    Map<JobRequest, Origin> origins = new IdentityHashMap<>();
    valid.forEach(one -> origins.put(one.request(), one.origin()));
    Map<Refusal, String> reasons = new IdentityHashMap<>();
    refusals.forEach(one -> reasons.put(one, origins.get(one.request()).sentence(one.sentence())));
    List<RequestStatus> rejected =
        refusals.stream()
            .filter(one -> one.code() != null)
            .map(one -> rejected(one.request(), one.code(), reasons.get(one)))
            .toList();
    return InOrder.together(
            refusals.stream()
                .map(one -> putAside(origins.get(one.request()), reasons.get(one)))
                .toList())
        .chain(() -> publishRejected(rejected));
  }

  private Uni<Void> putAside(Origin request, String reason) {
    return deadLetters.send(request.record(), request.index(), request.text(), reason);
  }

  /**
   * What the configuration does not allow any more may come again that it allowed before: that was
   * accepted, and stays so.
   */
  private Uni<Void> refuse(List<IncomingRequest.Refused> refused) {
    List<JobRequest> read = refused.stream().flatMap(one -> one.read().stream()).toList();
    if (read.isEmpty()) {
      return refuseNew(refused);
    }
    return store
        .read(tx -> tx.requests().specs(read.stream().map(JobRequest::id).toList()))
        .chain(
            accepted -> {
              List<IncomingRequest.Refused> before =
                  refused.stream().filter(one -> wasAccepted(one, accepted)).toList();
              List<IncomingRequest.Refused> others = new ArrayList<>(refused);
              others.removeAll(before);
              List<String> again =
                  before.stream().map(one -> one.read().orElseThrow().id()).toList();
              return again.isEmpty()
                  ? refuseNew(others)
                  : statuses.publishCurrent(again).chain(() -> refuseNew(others));
            });
  }

  private static boolean wasAccepted(IncomingRequest.Refused one, Map<String, String> accepted) {
    return one.read()
        .filter(request -> request.spec().equals(accepted.get(request.id())))
        .isPresent();
  }

  private Uni<Void> refuseNew(List<IncomingRequest.Refused> refused) {
    List<RequestStatus> rejected =
        refused.stream()
            .flatMap(
                one ->
                    one.why().id().stream()
                        .map(id -> rejected(id, ownQueue(one), one.code(), one.reason())))
            .toList();
    return InOrder.together(
            refused.stream().map(one -> putAside(one.origin(), one.reason())).toList())
        .chain(() -> reject(rejected));
  }

  private Uni<Void> reject(List<RequestStatus> rejected) {
    return remembering.apply(rejected).chain(() -> publishRejected(rejected));
  }

  private Uni<Void> remember(List<RequestStatus> rejected) {
    return transaction.refuse(rejected).invoke(events::afterIntake).replaceWithVoid();
  }

  /** A database that refuses to remember the refusal, too, keeps nobody from being told of it. */
  private static Uni<Void> notRemembered(RequestStatus rejected, Throwable error) {
    LOG.log(
        System.Logger.Level.WARNING,
        () -> "the refusal of %s is not remembered: %s".formatted(rejected.id(), error));
    return Uni.createFrom().voidItem();
  }

  private Uni<Void> publishRejected(List<RequestStatus> rejected) {
    return rejected.isEmpty() ? Uni.createFrom().voidItem() : statuses.publishRejected(rejected);
  }

  /** Nobody fills a queue's own topic of statuses who has no right to post to that queue. */
  private String ownQueue(IncomingRequest.Refused one) {
    return topics.queueOf(one.origin().record().topic()).orElse(null);
  }

  private RequestStatus rejected(JobRequest request, Code code, String reason) {
    return rejected(request.id(), request.queue(), code, reason);
  }

  private RequestStatus rejected(String id, String queue, Code code, String reason) {
    return StatusView.rejected(id, queue, code, reason, environment.now());
  }
}
