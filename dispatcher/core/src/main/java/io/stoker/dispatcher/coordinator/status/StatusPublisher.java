package io.stoker.dispatcher.coordinator.status;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Limits;
import io.stoker.common.size.Slices;
import io.stoker.dispatcher.coordinator.status.StatusSink.Tombstone;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.runtime.BatchDelay;
import io.stoker.dispatcher.runtime.Bisection;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.runtime.InOrder;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.status.HeldStatuses;
import io.stoker.dispatcher.status.StatusListener;
import io.stoker.dispatcher.status.StatusRecord;
import io.stoker.dispatcher.status.StatusView;
import io.stoker.dispatcher.store.OwedStatuses.Due;
import io.stoker.dispatcher.store.Store;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Publishes statuses. Under load one that is not final waits up to {@value #HELD_MS} ms for a newer
 * one of its request, which takes its place. Who publishes an older one after another replica's
 * newer one does not know; whoever reads the topic does, see {@code StatusReader}.
 */
public final class StatusPublisher {
  private static final int DUE_AT_ONCE = 500;

  /** How long a status that may still change is held at most, where there are many. */
  private static final long HELD_MS = 80;

  private final Environment environment;
  private final Store store;
  private final StatusSink sink;
  private final Iterable<StatusListener> listeners;
  private final SetAsides asides;
  private final Isolation<Due> owed;
  private final Bisection<StatusRecord> records =
      new Bisection<>(this::sendRecords, this::sendBare);
  private final CoalescingTask due;
  private final HeldStatuses held = new HeldStatuses();
  private final CoalescingTask release;
  private volatile int releasedLast;

  /**
   * @param listeners hear of what the broker has
   */
  public StatusPublisher(
      Environment environment,
      Store store,
      StatusSink sink,
      Iterable<StatusListener> listeners,
      SetAsides asides) {
    this.environment = environment;
    this.store = store;
    this.sink = sink;
    this.listeners = listeners;
    this.asides = asides;
    owed = asides.isolation("owed statuses", Due::request, this::publishAndSettle);
    due = new CoalescingTask("publishing owed statuses", environment, this::publishDue);
    release =
        new CoalescingTask("publishing statuses", environment, this::release, this::apartNanos);
  }

  /**
   * Publishes the requests that the unit of work's record names, and sees to those that it owes.
   */
  public Uni<Void> publishNamed(UnitOfWork unit) {
    wakeIfOwed(unit);
    List<String> elsewhere = StatusView.namedElsewhere(unit);
    // What waits for the broker holds the ids alone, and not the unit of work.
    List<String> named = List.copyOf(unit.named());
    Uni<Void> known = publish(StatusView.named(unit));
    return (elsewhere.isEmpty() ? known : known.chain(() -> publishCurrent(elsewhere)))
        .onFailure(error -> environment.fault(error) == Fault.DATA)
        .recoverWithUni(error -> owe(named, error));
  }

  /** What cannot be published is left to a step that sets aside what fails by itself. */
  private Uni<Void> owe(List<String> requests, Throwable error) {
    environment.failed("publishing statuses", error);
    return store
        .transaction("owe statuses", tx -> tx.owedStatuses().owe(requests))
        .invoke(due::wake);
  }

  /** The same of what is owed by somebody else, too: nobody waits for it. */
  public void publishSoon(UnitOfWork unit) {
    publishNamed(unit)
        .subscribe()
        .with(done -> {}, error -> environment.failed("publishing statuses soon", error));
  }

  private Uni<Void> publish(List<RequestStatus> statuses) {
    Map<Boolean, List<RequestStatus>> byFinal =
        statuses.stream().collect(Collectors.partitioningBy(one -> one.state().terminal()));
    Uni<Void> last = send(byFinal.get(true));
    List<RequestStatus> others = byFinal.get(false);
    return others.isEmpty()
        ? last
        : Uni.combine().all().unis(last, hold(others)).collectFailures().discardItems();
  }

  private Uni<Void> hold(List<RequestStatus> statuses) {
    return Uni.createFrom()
        .emitter(
            published -> {
              held.hold(
                  statuses,
                  error -> {
                    if (error == null) {
                      published.complete(null);
                    } else {
                      published.fail(error);
                    }
                  });
              if (held.bytes() < Limits.AT_ONCE) {
                release.wake();
              } else {
                releaseNow(held.takeAll()).subscribe().with(done -> {});
              }
            });
  }

  /** Whoever is alone waits for nothing. */
  private long apartNanos() {
    return releasedLast >= BatchDelay.MANY
        ? TimeUnit.MILLISECONDS.toNanos(HELD_MS)
        : BatchDelay.nanosAfter(Math.min(releasedLast, BatchDelay.MANY - 1));
  }

  private Uni<Boolean> release() {
    HeldStatuses.Taken taken = held.takeAll();
    releasedLast = taken.statuses().size();
    return releaseNow(taken).replaceWith(false);
  }

  /** Whoever waits for them is told of a failure, and tries again. */
  private Uni<Void> releaseNow(HeldStatuses.Taken taken) {
    return send(taken).onFailure().recoverWithNull();
  }

  /** Publishes the current statuses of these requests, no more at once than can be held. */
  public Uni<Void> publishCurrent(Collection<String> requests) {
    return store
        .read(tx -> tx.statuses().slices(requests))
        .chain(slices -> InOrder.each(slices, this::publishSlice));
  }

  private Uni<Void> publishSlice(List<String> requests) {
    return store.read(tx -> tx.statuses().views(requests)).chain(this::send);
  }

  /** Publishes refusals, except under ids that belong to an accepted request. */
  public Uni<Void> publishRejected(List<RequestStatus> rejected) {
    return store
        .read(tx -> tx.statuses().versionsAbove(versions(rejected)))
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
  public void wakeIfOwed(UnitOfWork committed) {
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

  private Uni<Void> send(List<RequestStatus> statuses) {
    return statuses.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.createFrom().deferred(() -> send(held.take(statuses)));
  }

  /** Many may show one large result, of which each gets a copy of its own when it is sent. */
  private Uni<Void> send(HeldStatuses.Taken taken) {
    return InOrder.each(
            Slices.of(taken.statuses(), StatusRecord::estimate, Limits.AT_ONCE), this::sendAtOnce)
        .onItemOrFailure()
        .invoke((done, error) -> held.done(taken, error));
  }

  private Uni<Void> sendAtOnce(List<RequestStatus> statuses) {
    return records.apply(statuses.stream().map(StatusRecord::of).toList());
  }

  private Uni<Void> sendRecords(List<StatusRecord> some) {
    return environment
        .patiently(() -> sink.send(some))
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
  private Uni<Void> sendTombstones(List<Tombstone> tombstones) {
    if (tombstones.isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    List<String> requests = tombstones.stream().map(Tombstone::request).toList();
    return environment
        .patiently(() -> sink.sendTombstones(tombstones))
        .invoke(() -> listeners.forEach(listener -> listener.dropped(requests)))
        .chain(() -> publishCurrent(requests));
  }

  /** What is owed for a request that is no more is a tombstone. */
  private Uni<Void> publishOwed(List<Due> some) {
    return store
        .read(tx -> tx.statuses().views(some.stream().map(Due::request).toList()))
        .chain(
            views -> {
              Set<String> known = views.stream().map(RequestStatus::id).collect(Collectors.toSet());
              return send(views)
                  .chain(
                      () ->
                          sendTombstones(
                              some.stream()
                                  .filter(due -> !known.contains(due.request()))
                                  .map(due -> new Tombstone(due.request(), due.queue()))
                                  .toList()));
            });
  }

  private Uni<Boolean> publishDue() {
    return store
        .read(tx -> tx.owedStatuses().some(DUE_AT_ONCE, owed.waiting()))
        .chain(some -> owed.apply(some.owed()).replaceWith(some.more()));
  }

  private Uni<Void> publishAndSettle(List<Due> some) {
    return publishOwed(some)
        .chain(() -> store.transaction("settle statuses", tx -> tx.owedStatuses().settle(some)));
  }
}
