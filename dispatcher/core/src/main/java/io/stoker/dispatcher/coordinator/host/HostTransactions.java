package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.host.Draining;
import io.stoker.dispatcher.host.HostLoss;
import io.stoker.dispatcher.host.InventoryCheck;
import io.stoker.dispatcher.host.LeftBehind;
import io.stoker.dispatcher.host.Registration;
import io.stoker.dispatcher.host.Settling;
import io.stoker.dispatcher.host.Silence;
import io.stoker.dispatcher.model.HostEvent;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Transactions on a host: its row is locked, and the jobs of its open attempts are held. */
public record HostTransactions(Store store, Leader leader) {
  private static final String NAME = "host";

  /** What a transaction left: the host's row, and what follows from it. */
  public record Done(HostRow host, UnitOfWork unit) {}

  /** What a hello is answered with, and what follows from it. */
  public record Answered(Registration.Answer answer, UnitOfWork unit) {}

  /** Nothing unless this replica schedules: another one may have answered newer hellos. */
  public Uni<Optional<Answered>> register(
      Hello hello, boolean signed, Silence silence, boolean challengeAll) {
    return leading(
        tx ->
            tx.hosts()
                .lock(List.of(hello.host()))
                .map(rows -> rows.stream().findFirst())
                .chain(
                    known ->
                        load(tx, hello.host())
                            .chain(
                                unit -> {
                                  Registration.Answer answer =
                                      Registration.answer(
                                          unit, known, hello, signed, silence, challengeAll);
                                  return write(tx, unit, known, answer.row())
                                      .replaceWith(Optional.of(new Answered(answer, unit)));
                                })));
  }

  /** Closes what earlier agents of a host have left behind and nobody can run any more. */
  public Uni<Optional<Done>> closeLeft(String host, Silence silence) {
    return scheduling(
        host, (unit, known) -> known.map(row -> LeftBehind.close(unit, row, silence)));
  }

  /** Nothing is asked of the host any more for a restore's sake, if what it holds is known. */
  public Uni<Optional<Done>> settle(String host, Optional<Heartbeat> last, Silence silence) {
    return scheduling(
        host,
        (unit, known) ->
            known.map(row -> Settling.settle(row, unit.attempts().all(), last, silence)));
  }

  /** Takes over what the agent has and holds; nothing unless this replica schedules. */
  public Uni<Optional<Done>> takeInventory(
      Inventory inventory, boolean signed, Optional<Heartbeat> last) {
    return scheduling(
        inventory.host(),
        (unit, known) ->
            known
                .filter(row -> row.epoch() == inventory.epoch() && row.key().admits(signed))
                .map(row -> InventoryCheck.apply(unit, row, inventory, last)));
  }

  /** Nothing if the host holds a newer epoch by now, or this replica does not schedule. */
  public Uni<Optional<Done>> lose(String host, long epoch, boolean costsRetry) {
    return scheduling(
        host,
        (unit, known) ->
            known
                .filter(row -> row.epoch() == epoch)
                .map(row -> HostLoss.lose(unit, row, costsRetry)));
  }

  /** Nothing if the host has come back meanwhile, or this replica does not schedule. */
  public Uni<Optional<Done>> bury(String host) {
    return scheduling(
        host,
        (unit, known) -> known.filter(HostRow::declaredDead).map(row -> HostLoss.bury(unit, row)));
  }

  /** Changes the row alone; nothing unless this replica schedules. */
  public Uni<Optional<Done>> updateScheduling(String host, UnaryOperator<HostRow> change) {
    return scheduling(host, (unit, known) -> known.map(change));
  }

  /** Changes the row alone. */
  public Uni<Optional<Done>> update(String host, UnaryOperator<HostRow> change) {
    return change(host, (unit, known) -> known.map(change));
  }

  /** Whether messages come that the database had before it was restored. */
  public Uni<Boolean> restoring() {
    return store.read(tx -> tx.fleet().restoring());
  }

  /** Changes the row for a message whose effect must not come twice. */
  public Uni<Optional<Done>> updateOnce(
      String message, String host, BiFunction<UnitOfWork, HostRow, HostRow> change) {
    return store.transaction(
        NAME,
        tx ->
            tx.controls()
                .first(message)
                .chain(
                    first ->
                        change(
                            tx,
                            host,
                            (unit, known) ->
                                known.map(row -> first ? change.apply(unit, row) : row))));
  }

  /** Moves what is on a host that was to be empty by now; nothing unless this replica schedules. */
  public Uni<Optional<Done>> drain(String host) {
    return scheduling(host, (unit, known) -> known.map(row -> Draining.move(unit, row)));
  }

  private Uni<Optional<Done>> scheduling(
      String host, BiFunction<UnitOfWork, Optional<HostRow>, Optional<HostRow>> decide) {
    return leading(tx -> change(tx, host, decide));
  }

  private <T> Uni<Optional<T>> leading(Function<Transaction, Uni<Optional<T>>> work) {
    OptionalLong epoch = leader.epoch();
    if (epoch.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    return store.transaction(
        NAME,
        tx ->
            tx.fleet()
                .lock(leader.fleet(), epoch.getAsLong())
                .chain(
                    still ->
                        still.isEmpty()
                            ? Uni.createFrom().item(Optional.<T>empty())
                            : work.apply(tx)));
  }

  private Uni<Optional<Done>> change(
      String host, BiFunction<UnitOfWork, Optional<HostRow>, Optional<HostRow>> decide) {
    return store.transaction(NAME, tx -> change(tx, host, decide));
  }

  private static Uni<Optional<Done>> change(
      Transaction tx,
      String host,
      BiFunction<UnitOfWork, Optional<HostRow>, Optional<HostRow>> decide) {
    return tx.hosts()
        .lock(List.of(host))
        .map(rows -> rows.stream().findFirst())
        .chain(
            known ->
                load(tx, host).chain(unit -> write(tx, unit, known, decide.apply(unit, known))));
  }

  private static Uni<UnitOfWork> load(Transaction tx, String host) {
    return tx.attempts()
        .jobsOn(host)
        .chain(jobs -> tx.loadJobs(jobs, true))
        .call(unit -> tx.requests().holdSharing(unit, LongerRun.sharers(unit)));
  }

  private static Uni<Optional<Done>> write(
      Transaction tx, UnitOfWork unit, Optional<HostRow> known, Optional<HostRow> now) {
    if (now.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    Uni<Void> put =
        now.equals(known)
            ? Uni.createFrom().voidItem()
            : tx.hosts()
                .put(now.get(), known.isEmpty(), HostEvent.between(known, now.get()), unit.now());
    return put.chain(() -> tx.write(unit)).replaceWith(Optional.of(new Done(now.get(), unit)));
  }
}
