package io.stoker.dispatcher.coordinator.intake;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import io.stoker.dispatcher.coordinator.commit.CommitFollowUp;
import io.stoker.dispatcher.coordinator.intake.IntakeTransaction.Accepted;
import io.stoker.dispatcher.coordinator.record.Received;
import io.stoker.dispatcher.runtime.Background;
import io.stoker.dispatcher.runtime.Bisection;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.MicroBatcher.Worked;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Takes requests in, a batch at a time: after its commit the next one is taken in, while the
 * statuses that it caused are published. Taken in again, a batch changes nothing.
 */
public final class RequestIntake {
  /** Batches side by side where many come: while Postgres writes one, the next one is decided. */
  public static final int BATCHES = 2;

  /** Requests that one transaction takes in, at most. */
  private static final int MOST = 1_000;

  private final Environment environment;
  private final RequestReader reader;
  private final IntakeTransaction transaction;
  private final CommitFollowUp followUp;
  private final RequestRefusals refusals;

  public RequestIntake(
      Environment environment,
      RequestReader reader,
      IntakeTransaction transaction,
      CommitFollowUp followUp,
      RequestRefusals refusals) {
    this.environment = environment;
    this.reader = reader;
    this.transaction = transaction;
    this.followUp = followUp;
    this.refusals = refusals;
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
        .chain(() -> refusals.refuse(unreadable))
        .map(done -> new Worked(requests.size(), telling.done()));
  }

  /** Of small ones {@value #MOST} at once take as much as of large ones what may be held. */
  private static long weight(Origin request) {
    return Math.max(request.bytes(), Limits.AT_ONCE / MOST);
  }

  private Uni<Void> take(List<Origin> some, Background telling) {
    return reader.read(some).chain(read -> sort(read, telling));
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
    return new Bisection<IncomingRequest.Valid>(
            some -> accept(some, telling), refusals::refusedByDatabase)
        .apply(valid)
        .chain(() -> refusals.refuse(refused));
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
    Uni<Void> published = followUp.afterIntake(accepted.unit());
    // What waits for the broker holds nothing of the batch where nobody is to be answered.
    return accepted.refusals().isEmpty()
        ? published
        : published.chain(() -> refusals.answer(accepted.refusals(), valid));
  }
}
