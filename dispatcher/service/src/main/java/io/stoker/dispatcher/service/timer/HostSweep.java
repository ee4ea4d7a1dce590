package io.stoker.dispatcher.service.timer;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.lease.Draining;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.service.lease.HostService;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.HostTable;
import io.stoker.dispatcher.timer.SweepRules;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;

/**
 * Gives up hosts whose leases ran out, empties those that are to be empty by now, and settles those
 * of a restored database.
 */
@ApplicationScoped
public class HostSweep {
  private final Database database;
  private final HostDirectory directory;
  private final HostService hosts;
  private final Isolation<Expired> lost;
  private final Isolation<String> dead;
  private final Isolation<String> left;
  private final Isolation<String> drained;
  private final Isolation<String> settled;

  HostSweep(Database database, HostDirectory directory, HostService hosts, SetAsides asides) {
    this.database = database;
    this.directory = directory;
    this.hosts = hosts;
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
  }

  private record Expired(String host, long epoch, boolean costsRetry) {}

  private record Fleet(List<HostRow> hosts, List<AttemptRow> open) {}

  /**
   * Looks at all.
   *
   * @param attempts whether any are open
   */
  public Uni<Void> look(boolean attempts) {
    return database
        .read(
            session ->
                new HostTable(session)
                    .all()
                    .chain(
                        rows ->
                            (attempts ? AttemptTable.all(session) : none())
                                .map(open -> new Fleet(rows, open))))
        .chain(
            fleet ->
                lost.each(
                        expired(
                            SweepRules.leased(fleet.hosts(), fleet.open()),
                            SweepRules.outages(fleet.hosts())))
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

  private static Uni<List<AttemptRow>> none() {
    return Uni.createFrom().item(List.of());
  }

  private List<Expired> expired(Map<String, Long> leased, Map<String, Long> outages) {
    List<String> expired = directory.expired(leased, outages);
    boolean costsRetry = SweepRules.costsRetry(expired, leased.keySet());
    return expired.stream().map(host -> new Expired(host, leased.get(host), costsRetry)).toList();
  }
}
