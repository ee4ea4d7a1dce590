package io.stoker.dispatcher.coordinator.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.host.HostClosing;
import io.stoker.dispatcher.coordinator.host.HostHolds;
import io.stoker.dispatcher.host.Draining;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import io.stoker.dispatcher.timer.SweepRules;
import java.util.List;
import java.util.Map;

/**
 * Gives up hosts whose leases ran out, empties those that are to be empty by now, and settles those
 * of a restored database.
 */
public final class HostSweep {
  private final Store store;
  private final HostDirectory directory;
  private final Isolation<Expired> lost;
  private final Isolation<String> dead;
  private final Isolation<String> left;
  private final Isolation<String> drained;
  private final Isolation<String> settled;
  private final Isolation<String> held;
  private final Isolation<String> released;

  public HostSweep(
      Store store, HostDirectory directory, HostClosing hosts, HostHolds holds, SetAsides asides) {
    this.store = store;
    this.directory = directory;
    lost =
        asides.isolation(
            "lost hosts",
            Expired::host,
            one ->
                hosts.lose(
                    one.getFirst().host(), one.getFirst().epoch(), one.getFirst().costsRetry()));
    dead = asides.isolation("dead hosts", host -> host, one -> hosts.bury(one.getFirst()));
    left = asides.isolation("left attempts", host -> host, one -> hosts.closeLeft(one.getFirst()));
    drained = asides.isolation("drained hosts", host -> host, one -> hosts.drain(one.getFirst()));
    settled = asides.isolation("settled hosts", host -> host, one -> hosts.settle(one.getFirst()));
    held = asides.isolation("held hosts", host -> host, one -> holds.hold(one.getFirst()));
    released =
        asides.isolation("released hosts", host -> host, one -> holds.release(one.getFirst()));
  }

  private record Expired(String host, long epoch, boolean costsRetry) {}

  /**
   * @param leased hosts that hold rights, each with its epoch
   */
  private record Fleet(List<HostRow> hosts, List<AttemptRow> open, Map<String, Long> leased) {}

  /**
   * Looks at all.
   *
   * @param attempts whether any are open
   */
  public Uni<Void> look(boolean attempts) {
    return store
        .read(tx -> fleet(tx, attempts))
        .chain(
            fleet ->
                known(fleet.hosts())
                    .chain(() -> lost.each(expired(fleet)))
                    .chain(
                        () -> held.each(SweepRules.held(fleet.leased(), fleet.hosts(), directory)))
                    .chain(() -> dead.each(SweepRules.dead(fleet.hosts())))
                    .chain(
                        () ->
                            left.each(
                                SweepRules.leftBehind(fleet.hosts(), fleet.open(), directory)))
                    .chain(() -> drained.each(Draining.waiting(fleet.hosts(), fleet.open())))
                    .chain(
                        () ->
                            settled.each(
                                SweepRules.settled(fleet.hosts(), fleet.open(), directory))));
  }

  private static Uni<Fleet> fleet(Transaction tx, boolean attempts) {
    return tx.hosts()
        .all()
        .chain(
            rows ->
                (attempts ? tx.attempts().all() : Uni.createFrom().item(List.<AttemptRow>of()))
                    .map(open -> new Fleet(rows, open, SweepRules.leased(rows, open))));
  }

  /** Before any silence is judged: which of them the dispatcher before has held. */
  private Uni<Void> known(List<HostRow> hosts) {
    SweepRules.heldBefore(hosts).forEach(directory::heldBefore);
    return released.each(SweepRules.released(hosts, directory));
  }

  private List<Expired> expired(Fleet fleet) {
    Map<String, Long> leased = fleet.leased();
    List<String> expired = directory.expired(leased, SweepRules.outages(fleet.hosts()));
    boolean costsRetry = SweepRules.costsRetry(expired, leased.keySet());
    return expired.stream().map(host -> new Expired(host, leased.get(host), costsRetry)).toList();
  }
}
