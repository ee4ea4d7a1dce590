package io.stoker.dispatcher.coordinator.host;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.Hello;
import io.stoker.common.message.HostMessage.Inventory;
import io.stoker.dispatcher.attempt.LongerRun;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.lease.Draining;
import io.stoker.dispatcher.lease.HostLoss;
import io.stoker.dispatcher.lease.InventoryCheck;
import io.stoker.dispatcher.lease.LeftBehind;
import io.stoker.dispatcher.lease.Registration;
import io.stoker.dispatcher.lease.Settling;
import io.stoker.dispatcher.lease.Silence;
import io.stoker.dispatcher.ledger.HostEvent;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Transactions on a host: its row is locked, and the jobs of its open attempts are held. */
public final class HostTransactions {
  private static final String NAME = "host";

  private final Store store;
  private final Leader leader;

  public HostTransactions(Store store, Leader leader) {
    this.store = store;
    this.leader = leader;
  }

  /** What a transaction left: the host's row, and what follows from it. */
  public record Done(HostRow host, Ledger ledger) {}

  /** What a hello is answered with, and what follows from it. */
  public record Answered(Registration.Answer answer, Ledger ledger) {}

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
                                ledger -> {
                                  Registration.Answer answer =
                                      Registration.answer(
                                          ledger, known, hello, signed, silence, challengeAll);
                                  return write(tx, ledger, known, answer.row())
                                      .replaceWith(Optional.of(new Answered(answer, ledger)));
                                })));
  }

  /** Closes what earlier agents of a host have left behind and nobody can run any more. */
  public Uni<Optional<Done>> closeLeft(String host, Silence silence) {
    return scheduling(
        host, (ledger, known) -> known.map(row -> LeftBehind.close(ledger, row, silence)));
  }

  /** Nothing is asked of the host any more for a restore's sake, if what it holds is known. */
  public Uni<Optional<Done>> settle(String host, Optional<Heartbeat> last, Silence silence) {
    return scheduling(
        host,
        (ledger, known) ->
            known.map(row -> Settling.settle(row, ledger.attempts().all(), last, silence)));
  }

  /** Takes over what the agent has and holds; nothing unless this replica schedules. */
  public Uni<Optional<Done>> takeInventory(
      Inventory inventory, boolean signed, Optional<Heartbeat> last) {
    return scheduling(
        inventory.host(),
        (ledger, known) ->
            known
                .filter(row -> row.epoch() == inventory.epoch() && row.key().admits(signed))
                .map(row -> InventoryCheck.apply(ledger, row, inventory, last)));
  }

  /** Nothing if the host holds a newer epoch by now, or this replica does not schedule. */
  public Uni<Optional<Done>> lose(String host, long epoch, boolean costsRetry) {
    return scheduling(
        host,
        (ledger, known) ->
            known
                .filter(row -> row.epoch() == epoch)
                .map(row -> HostLoss.lose(ledger, row, costsRetry)));
  }

  /** Nothing if the host has come back meanwhile, or this replica does not schedule. */
  public Uni<Optional<Done>> bury(String host) {
    return scheduling(
        host,
        (ledger, known) ->
            known.filter(HostRow::declaredDead).map(row -> HostLoss.bury(ledger, row)));
  }

  /** Changes the row alone; nothing unless this replica schedules. */
  public Uni<Optional<Done>> updateScheduling(String host, UnaryOperator<HostRow> change) {
    return scheduling(host, (ledger, known) -> known.map(change));
  }

  /** Changes the row alone. */
  public Uni<Optional<Done>> update(String host, UnaryOperator<HostRow> change) {
    return change(host, (ledger, known) -> known.map(change));
  }

  /** Changes the row for a message whose effect must not come twice. */
  public Uni<Optional<Done>> updateOnce(
      String message, String host, BiFunction<Ledger, HostRow, HostRow> change) {
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
                            (ledger, known) ->
                                known.map(row -> first ? change.apply(ledger, row) : row))));
  }

  /** Moves what is on a host that was to be empty by now; nothing unless this replica schedules. */
  public Uni<Optional<Done>> drain(String host) {
    return scheduling(host, (ledger, known) -> known.map(row -> Draining.move(ledger, row)));
  }

  private Uni<Optional<Done>> scheduling(
      String host, BiFunction<Ledger, Optional<HostRow>, Optional<HostRow>> decide) {
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
      String host, BiFunction<Ledger, Optional<HostRow>, Optional<HostRow>> decide) {
    return store.transaction(NAME, tx -> change(tx, host, decide));
  }

  private static Uni<Optional<Done>> change(
      Transaction tx,
      String host,
      BiFunction<Ledger, Optional<HostRow>, Optional<HostRow>> decide) {
    return tx.hosts()
        .lock(List.of(host))
        .map(rows -> rows.stream().findFirst())
        .chain(
            known ->
                load(tx, host)
                    .chain(ledger -> write(tx, ledger, known, decide.apply(ledger, known))));
  }

  private static Uni<Ledger> load(Transaction tx, String host) {
    return tx.attempts()
        .jobsOn(host)
        .chain(jobs -> tx.loadJobs(jobs, true))
        .call(ledger -> tx.requests().holdSharing(ledger, LongerRun.sharers(ledger)));
  }

  private static Uni<Optional<Done>> write(
      Transaction tx, Ledger ledger, Optional<HostRow> known, Optional<HostRow> now) {
    if (now.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    Uni<Void> put =
        now.equals(known)
            ? Uni.createFrom().voidItem()
            : tx.hosts()
                .put(now.get(), known.isEmpty(), HostEvent.between(known, now.get()), ledger.now());
    return put.chain(() -> tx.write(ledger)).replaceWith(Optional.of(new Done(now.get(), ledger)));
  }
}
