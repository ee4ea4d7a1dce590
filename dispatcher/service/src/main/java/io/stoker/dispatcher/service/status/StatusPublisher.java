package io.stoker.dispatcher.service.status;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.Halving;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.service.aside.SetAsides;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.DueStatusTable;
import io.stoker.dispatcher.service.postgres.DueStatusTable.Due;
import io.stoker.dispatcher.service.postgres.StatusQueries;
import io.stoker.dispatcher.service.runtime.Faults;
import io.stoker.dispatcher.status.StatusListener;
import io.stoker.dispatcher.status.StatusRecord;
import io.stoker.dispatcher.status.StatusView;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Publishes statuses. Who publishes an older one after another replica's newer one does not know;
 * whoever reads the topic does, see {@link StatusReader}.
 */
@ApplicationScoped
public class StatusPublisher {
  private static final int DUE_AT_ONCE = 500;

  private final Database database;
  private final StatusTransport transport;
  private final Instance<StatusListener> listeners;
  private final SetAsides asides;
  private final Isolation<Due> owed;
  private final Halving<StatusRecord> records = new Halving<>(this::sendRecords, this::sendBare);
  private final Pump due = new Pump("publishing owed statuses", this::publishDue);

  StatusPublisher(
      Database database,
      StatusTransport transport,
      @Any Instance<StatusListener> listeners,
      SetAsides asides) {
    this.database = database;
    this.transport = transport;
    this.listeners = listeners;
    this.asides = asides;
    owed = asides.isolation("owed statuses", Due::request, this::publishAndSettle);
  }

  /** Publishes the requests that the ledger's record names, and sees to those that it owes. */
  public Uni<Void> publishNamed(Ledger ledger) {
    wakeIfOwed(ledger);
    List<String> elsewhere = StatusView.namedElsewhere(ledger);
    Uni<Void> held = send(StatusView.named(ledger));
    return elsewhere.isEmpty() ? held : held.chain(() -> publishCurrent(elsewhere));
  }

  /** Publishes the current statuses of these requests, no more at once than can be held. */
  public Uni<Void> publishCurrent(Collection<String> requests) {
    return database
        .read(session -> StatusQueries.slices(session, requests))
        .chain(slices -> InOrder.each(slices, this::publishSlice));
  }

  private Uni<Void> publishSlice(List<String> requests) {
    return database.read(session -> StatusQueries.views(session, requests)).chain(this::send);
  }

  /** Publishes refusals, except under ids that belong to an accepted request. */
  public Uni<Void> publishRejected(List<RequestStatus> rejected) {
    return database
        .read(session -> StatusQueries.versionsAbove(session, versions(rejected)))
        .chain(
            accepted ->
                send(
                    rejected.stream()
                        .filter(status -> !accepted.containsKey(status.id()))
                        .toList()));
  }

  /** A hint that statuses are owed. */
  public void wake() {
    due.wake();
  }

  /** The same, if what was committed owes any. */
  public void wakeIfOwed(Ledger committed) {
    if (!committed.due().isEmpty()) {
      due.wake();
    }
  }

  public void stop() {
    due.stop();
  }

  /** The highest version of each that is among these. */
  private static Map<String, Long> versions(List<RequestStatus> statuses) {
    return statuses.stream()
        .collect(Collectors.toMap(RequestStatus::id, RequestStatus::version, Math::max));
  }

  /** Many may show one large result, of which each gets a copy of its own when it is sent. */
  private Uni<Void> send(List<RequestStatus> statuses) {
    return InOrder.each(
        Slices.of(statuses, StatusRecord::estimate, Limits.AT_ONCE), this::sendAtOnce);
  }

  private Uni<Void> sendAtOnce(List<RequestStatus> statuses) {
    return records.apply(statuses.stream().map(StatusRecord::of).toList());
  }

  private Uni<Void> sendRecords(List<StatusRecord> some) {
    return patiently(() -> transport.send(some))
        .invoke(() -> listeners.forEach(listener -> listener.published(some)));
  }

  /** What a record cannot hold is left out: where the request stands is told in any case. */
  private Uni<Void> sendBare(StatusRecord refused, Throwable error) {
    String reason = Fault.sentence(error);
    asides.failed("publishing a whole status", refused.status().id(), error);
    return sendRecords(List.of(refused.bare("its status cannot be sent whole: " + reason)));
  }

  /**
   * Requests that are no more; whoever posts one of them again meanwhile is the last on the topic.
   */
  private Uni<Void> sendTombstones(List<String> requests) {
    if (requests.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    return patiently(() -> transport.sendTombstones(requests))
        .invoke(() -> listeners.forEach(listener -> listener.dropped(requests)))
        .chain(() -> publishCurrent(requests));
  }

  private static Uni<Void> patiently(Supplier<Uni<? extends Void>> send) {
    return Uni.createFrom()
        .deferred(send)
        .onFailure(error -> Faults.of(error) != Fault.DATA)
        .retry()
        .withBackOff(Duration.ofMillis(100), Duration.ofSeconds(5))
        .indefinitely();
  }

  /** What is owed for a request that is no more is a tombstone. */
  private Uni<Void> publishOwed(List<String> requests) {
    return database
        .read(session -> StatusQueries.views(session, requests))
        .chain(
            views -> {
              Set<String> known = views.stream().map(RequestStatus::id).collect(Collectors.toSet());
              return send(views)
                  .chain(
                      () ->
                          sendTombstones(
                              requests.stream().filter(id -> !known.contains(id)).toList()));
            });
  }

  private Uni<Boolean> publishDue() {
    return database
        .read(session -> DueStatusTable.some(session, DUE_AT_ONCE, owed.waiting()))
        .chain(some -> owed.apply(some.owed()).replaceWith(some.more()));
  }

  private Uni<Void> publishAndSettle(List<Due> some) {
    return publishOwed(some.stream().map(Due::request).toList())
        .chain(() -> database.transaction(session -> DueStatusTable.settle(session, some)));
  }
}
