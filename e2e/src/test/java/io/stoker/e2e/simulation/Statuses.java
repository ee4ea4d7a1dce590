package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.status.HeldStatuses;
import io.stoker.dispatcher.status.StatusView;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Publishes statuses in the order of effects of the dispatcher's StatusPublisher. */
final class Statuses {
  private static final int DUE_AT_ONCE = 4;

  /** In ms; about as long as the dispatcher does. */
  private static final int LONGEST_HELD = 80;

  private final World world;
  private final SimDatabase database;
  private final SimLog log;
  private final Wire wire;
  private final SimPump due;
  private final HeldStatuses held = new HeldStatuses();

  Statuses(World world, SimDatabase database, SimLog log, Wire wire) {
    this.world = world;
    this.database = database;
    this.log = log;
    this.wire = wire;
    this.due = new SimPump(world, wire.life(), this::publishDue);
  }

  void wake() {
    due.wake();
  }

  Uni<Void> publishNamed(Ledger ledger) {
    if (!ledger.due().isEmpty()) {
      due.wake();
    }
    List<String> elsewhere = StatusView.namedElsewhere(ledger);
    Uni<Void> known = publish(StatusView.named(ledger));
    return elsewhere.isEmpty() ? known : known.chain(() -> publishCurrent(elsewhere));
  }

  private Uni<Void> publish(List<RequestStatus> statuses) {
    Map<Boolean, List<RequestStatus>> byFinal =
        statuses.stream().collect(Collectors.partitioningBy(one -> one.state().terminal()));
    Uni<Void> last = send(byFinal.get(true));
    return byFinal.get(false).isEmpty()
        ? last
        : Uni.combine().all().unis(last, hold(byFinal.get(false))).discardItems();
  }

  private Uni<Void> hold(List<RequestStatus> statuses) {
    return Uni.createFrom()
        .emitter(
            told -> {
              held.hold(
                  statuses,
                  error -> {
                    if (error == null) {
                      told.complete(null);
                    } else {
                      told.fail(error);
                    }
                  });
              long wait = world.chance.is(0.5) ? 0 : world.chance.between(0, LONGEST_HELD);
              world.timeline.after(wait, wire.life(), this::release);
            });
  }

  private void release() {
    send(held.takeAll()).subscribe().with(done -> {}, error -> {});
  }

  Uni<Void> publishCurrent(Collection<String> requests) {
    return database.transaction(wire.life(), tx -> views(tx, requests)).chain(this::send);
  }

  Uni<Void> publishRejected(List<RequestStatus> rejected) {
    List<String> ids = rejected.stream().map(RequestStatus::id).toList();
    return database
        .transaction(wire.life(), tx -> versions(tx, ids))
        .chain(
            accepted ->
                send(
                    rejected.stream()
                        .filter(status -> !accepted.containsKey(status.id()))
                        .toList()));
  }

  private Uni<Void> send(List<RequestStatus> statuses) {
    return statuses.isEmpty()
        ? Uni.createFrom().voidItem()
        : Uni.createFrom().deferred(() -> send(held.take(statuses)));
  }

  private Uni<Void> send(HeldStatuses.Taken taken) {
    if (taken.statuses().isEmpty()) {
      return Uni.createFrom().voidItem();
    }
    List<Uni<Void>> sends = new ArrayList<>();
    taken.statuses().forEach(status -> sends.add(log.send(wire, "status", status.id(), status)));
    return Uni.join()
        .all(sends)
        .andFailFast()
        .replaceWithVoid()
        .onItemOrFailure()
        .invoke((done, error) -> held.done(taken, error));
  }

  private Uni<Boolean> publishDue() {
    return database
        .transaction(wire.life(), Statuses::some)
        .chain(
            owed ->
                owed.isEmpty()
                    ? Uni.createFrom().item(false)
                    : publishCurrent(owed.keySet())
                        .chain(() -> settle(owed))
                        .replaceWith(owed.size() == DUE_AT_ONCE));
  }

  private static Map<String, Long> some(SimTransaction tx) {
    Map<String, Long> owed = new LinkedHashMap<>();
    tx.tables().due.entrySet().stream()
        .limit(DUE_AT_ONCE)
        .forEach(row -> owed.put(row.getKey(), row.getValue()));
    return owed;
  }

  private Uni<Boolean> settle(Map<String, Long> owed) {
    return database.transaction(
        wire.life(),
        tx -> {
          tx.write(() -> owed.forEach(tx.tables().due::remove));
          return true;
        });
  }

  private static List<RequestStatus> views(SimTransaction tx, Collection<String> requests) {
    return tx.readRequests(requests).stream()
        .map(row -> StatusView.of(row, job(tx, row), tx.now()))
        .flatMap(Optional::stream)
        .toList();
  }

  static Map<String, Long> versions(SimTransaction tx, Collection<String> requests) {
    Map<String, Long> versions = new HashMap<>();
    tx.readRequests(requests).stream()
        .filter(row -> !row.isPlaceholder())
        .forEach(row -> versions.put(row.id(), StatusView.version(row, job(tx, row))));
    return versions;
  }

  private static Optional<JobRow> job(SimTransaction tx, RequestRow row) {
    return Optional.ofNullable(row.job()).map(tx.tables().jobs::get);
  }
}
