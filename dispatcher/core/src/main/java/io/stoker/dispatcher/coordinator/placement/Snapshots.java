package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.fairshare.QueueStandings;
import io.stoker.dispatcher.coordinator.memory.MemoryBook;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.GroupLimit;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.MemoryKeys;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.MemoryView;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.placement.TieBreaker;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Makes what a pass looks at, of what it has read and of what this replica knows besides. */
public final class Snapshots {
  private final HostAvailability availability;
  private final QueueStandings standings;
  private final MemoryBook memory;
  private final LookAhead lookAhead;
  private final TieBreaker ties;

  public Snapshots(
      HostAvailability availability,
      QueueStandings standings,
      MemoryBook memory,
      LookAhead lookAhead,
      TieBreaker ties) {
    this.availability = availability;
    this.standings = standings;
    this.memory = memory;
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
    List<Host> tried = availability.hosts(read.hosts(), read.open(), now);
    return new Fleet(read, lookAhead.offering(tried, read.hosts(), read.open(), now));
  }

  /**
   * The snapshot.
   *
   * @param kept for whom room is kept
   * @param line jobs that are first in line
   */
  Uni<Snapshot> snapshot(
      Transaction tx, Fleet fleet, List<Reservation> kept, List<QueueHead> line, long now) {
    return expecting(tx, line)
        .chain(heads -> limits(tx, heads).map(limits -> snapshot(fleet, kept, heads, limits, now)));
  }

  private Uni<List<QueueHead>> expecting(Transaction tx, List<QueueHead> line) {
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
  private static Uni<Map<String, GroupLimit>> limits(Transaction tx, List<QueueHead> line) {
    Set<String> groups =
        line.stream()
            .map(QueueHead::plannedGroup)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    return tx.experiments().limits(groups);
  }

  private Snapshot snapshot(
      Fleet fleet,
      List<Reservation> kept,
      List<QueueHead> heads,
      Map<String, GroupLimit> limits,
      long now) {
    Set<String> queues = heads.stream().map(QueueHead::queue).collect(Collectors.toSet());
    return new Snapshot(fleet.hosts(), availability.heads(heads))
        .choosing(ties)
        .shared(standings.of(fleet.read().used(), fleet.open(), queues, now), kept, now)
        .limited(limits)
        .running(lookAhead.expected(heads));
  }
}
