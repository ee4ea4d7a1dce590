package io.stoker.e2e.simulation;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Goodbye;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.common.message.ToAgent;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.coordinator.agent.AgentTeller;
import io.stoker.dispatcher.lease.Draining;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.HostLoss;
import io.stoker.dispatcher.lease.InventoryCheck;
import io.stoker.dispatcher.lease.LeftBehind;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.lease.Registration;
import io.stoker.dispatcher.lease.Settling;
import io.stoker.dispatcher.lease.Silence;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Answers hosts, as HostService and HostTransactions. */
final class HostAnswers {
  private final World world;
  private final SimDatabase database;
  private final Wire wire;
  private final HostDirectory directory;
  private final Refusals refusals;
  private final AgentTeller agents;
  private final Supplier<OptionalLong> leadership;
  private final Consumer<Ledger> follow;

  HostAnswers(
      World world,
      SimDatabase database,
      Wire wire,
      HostDirectory directory,
      Refusals refusals,
      AgentTeller agents,
      Supplier<OptionalLong> leadership,
      Consumer<Ledger> follow) {
    this.world = world;
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
    AtomicReference<Registration.Answer> answer = new AtomicReference<>();
    return change(
            hello.host(),
            (ledger, known) -> {
              answer.set(answer(ledger, known, hello));
              return answer.get().row();
            })
        .chain(done -> answer.get() == null ? nothing() : tell(hello, answer.get(), done));
  }

  private static Uni<Void> nothing() {
    return Uni.createFrom().voidItem();
  }

  private Registration.Answer answer(Ledger ledger, Optional<HostRow> known, Hello hello) {
    Silence silence =
        world.has(Defect.CLOSE_AT_HELLO) ? new Deafness() : directory.silence(hello.host());
    Registration.Answer answer = Registration.answer(ledger, known, hello, silence, false);
    return world.has(Defect.NO_CHALLENGE) && answer instanceof Registration.Challenged asked
        ? Registration.answer(ledger, known, answering(hello, asked.challenge()), silence, false)
        : answer;
  }

  /** Nothing was ever heard of anybody. */
  private static final class Deafness implements Silence {
    @Override
    public long leftMs(long epoch, long outageMs) {
      return 0;
    }
  }

  private static Hello answering(Hello hello, String challenge) {
    return new Hello(
        hello.host(),
        hello.nonce(),
        hello.journal(),
        hello.fleet(),
        hello.version(),
        hello.bootId(),
        hello.resources(),
        hello.held(),
        hello.seat(),
        hello.machine(),
        challenge,
        null);
  }

  private Uni<Void> tell(Hello hello, Registration.Answer answer, Optional<Done> done) {
    return switch (answer) {
      case Registration.Challenged asked ->
          agents.send(
              hello.host(), 0, List.of(new ToAgent.Challenge(hello.nonce(), asked.challenge())));
      case Registration.Refusal refusal -> {
        world.refusals++;
        yield hello.seat() == null
            ? nothing()
            : agents.send(
                hello.host(),
                0,
                List.of(new ToAgent.Refused(hello.nonce(), refusal.reason(), refusal.retryMs())));
      }
      case Registration.Welcomed granted -> done.map(this::welcome).orElseGet(HostAnswers::nothing);
    };
  }

  private Uni<Void> welcome(Done done) {
    HostRow host = done.host();
    world.note(wire.life().name(), host.id() + " holds epoch " + host.epoch());
    world.leftBehind += host.holder().left().size();
    directory.registered(host.id(), host.epoch());
    refusals.changed(host.id());
    ToAgent welcome =
        new ToAgent.Welcome(
            host.nonce(),
            host.epoch(),
            done.ledger().now(),
            Settings.LEASE,
            Settings.HEARTBEAT,
            Settings.INVENTORY,
            sealedEvents());
    return agents.send(host.id(), 0, List.of(welcome)).invoke(() -> follow.accept(done.ledger()));
  }

  /** Dispatchers may be of the build before, that does not say so, and be replaced. */
  private Boolean sealedEvents() {
    return world.agentChance.is(0.8) ? true : null;
  }

  /** An agent is in an epoch that has a successor, and reads so. */
  Uni<Void> superseded(String host) {
    return change(host, (ledger, known) -> known)
        .chain(
            done ->
                done.map(
                        one ->
                            agents.send(
                                host,
                                one.host().epoch(),
                                List.of(new ToAgent.Clock(0, one.ledger().now()))))
                    .orElseGet(HostAnswers::nothing));
  }

  /** Closes what earlier agents of a host have left behind and nobody can run any more. */
  Uni<Void> closeLeft(String host) {
    return change(
            host,
            (ledger, known) ->
                known.map(row -> LeftBehind.close(ledger, row, directory.silence(host))))
        .invoke(done -> done.ifPresent(one -> follow.accept(one.ledger())))
        .replaceWithVoid();
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
              ToAgent clock =
                  new ToAgent.Clock(inventory.n(), done.get().ledger().now(), sealedEvents());
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

  /** A host holds nothing any more that the restored tables do not know. */
  Uni<Void> settle(String host) {
    return change(
            host,
            (ledger, known) ->
                known.map(
                    row ->
                        Settling.settle(
                            row,
                            ledger.attempts().all(),
                            directory.lastHeartbeat(host),
                            directory.silence(host))))
        .invoke(done -> done.ifPresent(settled -> follow.accept(settled.ledger())))
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
          ledger.requests().loadAll(tx.lockSharing(LongerRun.sharers(ledger)));
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
