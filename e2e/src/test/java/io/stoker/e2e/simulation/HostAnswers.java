package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.lease.Draining;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.HostLoss;
import io.stoker.dispatcher.lease.HostRow;
import io.stoker.dispatcher.lease.InventoryCheck;
import io.stoker.dispatcher.lease.Registration;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.Refusals;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Answers hosts, as HostService and HostTransactions. */
final class HostAnswers {
  private final SimDatabase database;
  private final Wire wire;
  private final HostDirectory directory;
  private final Refusals refusals;
  private final AgentTelling agents;
  private final Supplier<OptionalLong> leadership;
  private final Consumer<Ledger> follow;

  HostAnswers(
      SimDatabase database,
      Wire wire,
      HostDirectory directory,
      Refusals refusals,
      AgentTelling agents,
      Supplier<OptionalLong> leadership,
      Consumer<Ledger> follow) {
    this.database = database;
    this.wire = wire;
    this.directory = directory;
    this.refusals = refusals;
    this.agents = agents;
    this.leadership = leadership;
    this.follow = follow;
  }

  private record Done(HostRow host, Ledger ledger) {}

  Uni<Void> hello(Hello hello) {
    return change(
            hello.host(),
            (ledger, known) -> Optional.of(Registration.register(ledger, known, hello)))
        .chain(
            granted -> {
              if (granted.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              Done done = granted.get();
              directory.registered(hello.host(), done.host().epoch());
              refusals.changed(hello.host());
              ToAgent welcome =
                  new ToAgent.Welcome(
                      done.host().nonce(),
                      done.host().epoch(),
                      done.ledger().now(),
                      Settings.LEASE,
                      Settings.HEARTBEAT,
                      Settings.INVENTORY);
              return agents
                  .send(hello.host(), 0, List.of(welcome))
                  .invoke(() -> follow.accept(done.ledger()));
            });
  }

  Uni<Void> inventory(Inventory inventory) {
    Optional<Heartbeat> last = directory.lastHeartbeat(inventory.host());
    return change(
            inventory.host(),
            (ledger, known) ->
                known
                    .filter(row -> row.epoch() == inventory.epoch())
                    .map(row -> InventoryCheck.apply(ledger, row, inventory, last)))
        .chain(
            done -> {
              if (done.isEmpty()) {
                return Uni.createFrom().voidItem();
              }
              refusals.changed(inventory.host());
              follow.accept(done.get().ledger());
              ToAgent clock = new ToAgent.Clock(inventory.n(), done.get().ledger().now());
              return agents.send(inventory.host(), inventory.epoch(), List.of(clock));
            });
  }

  Uni<Void> goodbye(Goodbye goodbye) {
    return change(
            goodbye.host(),
            (ledger, known) -> known.map(row -> row.epoch() == goodbye.epoch() ? row.gone() : row))
        .replaceWithVoid();
  }

  Uni<Void> lose(String host, long epoch, boolean costsRetry) {
    return change(
            host,
            (ledger, known) ->
                known
                    .filter(row -> row.epoch() == epoch)
                    .map(row -> HostLoss.lose(ledger, row, costsRetry)))
        .invoke(done -> done.ifPresent(lost -> follow.accept(lost.ledger())))
        .invoke(() -> directory.dropped(host, epoch))
        .replaceWithVoid();
  }

  /** Moves what is on a host that was to be empty by now. */
  Uni<Void> drain(String host) {
    return change(host, (ledger, known) -> known.map(row -> Draining.move(ledger, row)))
        .invoke(done -> done.ifPresent(moved -> follow.accept(moved.ledger())))
        .replaceWithVoid();
  }

  private Uni<Optional<Done>> change(
      String host, BiFunction<Ledger, Optional<HostRow>, Optional<HostRow>> decide) {
    OptionalLong fleetEpoch = leadership.get();
    return database.transaction(
        wire.life(),
        tx -> {
          if (fleetEpoch.isEmpty() || !tx.lockFleet(fleetEpoch.getAsLong())) {
            return Optional.empty();
          }
          Optional<HostRow> known = tx.lockHost(host);
          List<String> jobs =
              tx.allAttempts().stream()
                  .filter(attempt -> attempt.host().equals(host))
                  .map(AttemptRow::job)
                  .toList();
          Ledger ledger = Loads.jobs(tx, jobs, true);
          Optional<HostRow> now = decide.apply(ledger, known);
          now.ifPresent(
              row -> {
                tx.write(ledger);
                tx.write(() -> tx.tables().hosts.put(host, row));
              });
          return now.map(row -> new Done(row, ledger));
        });
  }
}
