package io.stoker.dispatcher.coordinator.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.topic.Topics;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.record.DeadLetters;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.store.Store;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Tells who posted requests that these are refused, and why. */
public final class RequestRefusals {
  private final Store store;
  private final RejectedStatuses statuses;
  private final DeadLetters deadLetters;
  private final CommitFollowUp followUp;
  private final Topics topics;

  public RequestRefusals(
      Store store,
      RejectedStatuses statuses,
      DeadLetters deadLetters,
      CommitFollowUp followUp,
      Topics topics) {
    this.store = store;
    this.statuses = statuses;
    this.deadLetters = deadLetters;
    this.followUp = followUp;
    this.topics = topics;
  }

  Uni<Void> refusedByDatabase(IncomingRequest.Valid bad, Throwable error) {
    String reason = bad.origin().sentence(Fault.refusal(error));
    return putAside(bad.origin(), reason)
        .chain(
            () ->
                statuses.rememberAndPublish(
                    List.of(status(bad.request(), Code.INVALID_REQUEST, reason))));
  }

  Uni<Void> answer(List<Refusal> refusals, List<IncomingRequest.Valid> valid) {
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
            .map(one -> status(one.request(), one.code(), reasons.get(one)))
            .toList();
    return InOrder.together(
            refusals.stream()
                .map(one -> putAside(origins.get(one.request()), reasons.get(one)))
                .toList())
        .chain(() -> statuses.publish(rejected));
  }

  private Uni<Void> putAside(Origin request, String reason) {
    return deadLetters.send(request.record(), request.index(), request.text(), reason);
  }

  /**
   * What the configuration does not allow any more may come again that it allowed before: that was
   * accepted, and stays so.
   */
  Uni<Void> refuse(List<IncomingRequest.Refused> refused) {
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
                  : followUp.again(again).chain(() -> refuseNew(others));
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
                        .map(id -> statuses.of(id, ownQueue(one), one.code(), one.reason())))
            .toList();
    return InOrder.together(
            refused.stream().map(one -> putAside(one.origin(), one.reason())).toList())
        .chain(() -> statuses.rememberAndPublish(rejected));
  }

  /** Nobody fills a queue's own topic of statuses who has no right to post to that queue. */
  private String ownQueue(IncomingRequest.Refused one) {
    return topics.queueOf(one.origin().record().topic()).orElse(null);
  }

  private RequestStatus status(JobRequest request, Code code, String reason) {
    return statuses.of(request.id(), request.queue(), code, reason);
  }
}
