package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.size.Durations;
import io.stoker.dispatcher.attempt.Cancellation;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.e2e.simulation.SimLog.Entry;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/** Does what people ask for, as ControlChannel, RequestControl and HostControl. */
final class ControlReading {
  private final SimDatabase database;
  private final Life life;
  private final StatusPublisher statuses;
  private final Consumer<Ledger> follow;
  private final Runnable capacityChanged;

  ControlReading(
      SimDatabase database,
      Life life,
      StatusPublisher statuses,
      Consumer<Ledger> follow,
      Runnable capacityChanged) {
    this.database = database;
    this.life = life;
    this.statuses = statuses;
    this.follow = follow;
    this.capacityChanged = capacityChanged;
  }

  Uni<Void> read(List<Entry> batch) {
    Uni<Void> all = Uni.createFrom().voidItem();
    for (Entry one : batch) {
      all = all.chain(() -> apply((ControlMessage) one.value()));
    }
    return all;
  }

  private Uni<Void> cancel(ControlMessage.Cancel cancel) {
    String request = cancel.request();
    return database
        .transaction(
            life,
            tx -> {
              Ledger ledger = Loads.requests(tx, List.of(request));
              boolean known =
                  ledger.requests().find(request).filter(row -> !row.isPlaceholder()).isPresent();
              Cancellation.cancel(ledger, request, Cancellation.Verdict.cancelled(cancel.reason()));
              if (known) {
                ledger.publishNamed(request);
              }
              tx.write(ledger);
              return ledger;
            })
        .invoke(follow)
        .chain(statuses::publishNamed);
  }

  private Uni<Void> apply(ControlMessage message) {
    return switch (message) {
      case ControlMessage.Cancel asked -> cancel(asked);
      case ControlMessage.Cordon asked ->
          change(asked.id(), asked.host(), (now, row) -> row.cordon(true, asked.reason()));
      case ControlMessage.Uncordon asked ->
          change(asked.id(), asked.host(), (now, row) -> row.cordon(false, null));
      case ControlMessage.Drain asked ->
          change(
              asked.id(),
              asked.host(),
              (now, row) -> {
                long within = Durations.parse(asked.within()).toMillis();
                return row.drained(asked.reason(), new HostRow.Drain(now + within));
              });
      default -> throw new SimulationFailure("nobody posts this: " + message);
    };
  }

  /** Once for each message, however often it is read; nothing where the host is not known. */
  private Uni<Void> change(String message, String host, BiFunction<Long, HostRow, HostRow> change) {
    return database
        .transaction(
            life,
            tx -> {
              boolean first = tx.firstControl(message);
              Optional<HostRow> known = tx.lockHost(host);
              if (first && known.isPresent()) {
                HostRow row = change.apply(tx.now(), known.get());
                tx.write(() -> tx.tables().hosts.put(host, row));
              }
              return first;
            })
        .invoke(capacityChanged)
        .replaceWithVoid();
  }
}
