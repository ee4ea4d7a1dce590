package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.fairshare.UsageBook;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.LaneLimit;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.MemoryView;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.placement.Ties;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes what a pass looks at, of what it has read and of what this replica knows besides. */
public final class Snapshots {
  private final HostDirectory hosts;
  private final Refusals refusals;
  private final SuspectBook suspects;
  private final MemoryBook memory;
  private final FairShare shares;
  private final UsageBook usage;
  private final LookAhead lookAhead;
  private final Ties ties;

  public Snapshots(
      HostDirectory hosts,
      Refusals refusals,
      SuspectBook suspects,
      MemoryBook memory,
      FairShare shares,
      UsageBook usage,
      LookAhead lookAhead,
      Ties ties) {
    this.hosts = hosts;
    this.refusals = refusals;
    this.suspects = suspects;
    this.memory = memory;
    this.shares = shares;
    this.usage = usage;
    this.lookAhead = lookAhead;
    this.ties = ties;
  }

  /** What a pass goes by of hosts. */
  record Fleet(Rows read, List<Host> hosts) {
    List<HostRow> rows() {
      return read.hosts();
    }

    List<AttemptRow> open() {
      return read.open();
    }
  }

  Fleet fleet(Rows read, long now) {
    List<Host> all = FleetView.hosts(read.hosts(), read.open(), hosts::alive, hosts::lastHeartbeat);
    List<Host> tried = suspects.apply(all, read.hosts(), read.open(), now);
    return new Fleet(read, lookAhead.offering(tried, read.hosts(), read.open(), now));
  }

  /**
   * The snapshot.
   *
   * @param kept for whom room is kept
   * @param line jobs that are first in line
   */
  Uni<Snapshot> snapshot(Transaction tx, Fleet fleet, List<Claim> kept, List<Head> line, long now) {
    return expecting(tx, line)
        .chain(heads -> lanes(tx, heads).map(lanes -> snapshot(fleet, kept, heads, lanes, now)));
  }

  private Uni<List<Head>> expecting(Transaction tx, List<Head> line) {
    Set<MemoryKeys> jobs =
        line.stream()
            .flatMap(head -> head.memory().bothKeys())
            .filter(MemoryKeys::learns)
            .collect(Collectors.toSet());
    return jobs.isEmpty()
        ? Uni.createFrom().item(line)
        : memory.estimates(tx, jobs).map(estimates -> MemoryView.expecting(line, estimates));
  }

  /** What groups with a plan may still start; nothing is asked where none is in line. */
  private static Uni<Map<String, LaneLimit>> lanes(Transaction tx, List<Head> line) {
    Set<String> groups =
        line.stream().map(Head::lane).filter(Objects::nonNull).collect(Collectors.toSet());
    return tx.experiments().limits(groups);
  }

  private Snapshot snapshot(
      Fleet fleet, List<Claim> kept, List<Head> heads, Map<String, LaneLimit> lanes, long now) {
    Set<String> queues = heads.stream().map(Head::queue).collect(Collectors.toSet());
    return new Snapshot(fleet.hosts(), FleetView.heads(heads, refusals::hosts))
        .choosing(ties)
        .shared(standings(fleet, queues, now), kept, now)
        .limited(lanes)
        .running(lookAhead.expected(heads));
  }

  private Map<String, Standing> standings(Fleet fleet, Set<String> queues, long now) {
    return shares.standings(usage.ended(fleet.read().used()), fleet.open(), queues, now);
  }
}
