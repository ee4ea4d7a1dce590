package io.stoker.dispatcher.placement;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.config.StokerConfig;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.UsageBook;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.HostRow;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.memory.MemoryBook;
import io.stoker.dispatcher.memory.MemoryKeys;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Snapshot.Head;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.store.AttemptTable;
import io.stoker.dispatcher.store.Database;
import io.stoker.dispatcher.store.ExperimentTable;
import io.stoker.dispatcher.store.FleetTable;
import io.stoker.dispatcher.store.HostTable;
import io.stoker.dispatcher.store.JobLoader;
import io.stoker.dispatcher.store.LedgerWriter;
import io.stoker.dispatcher.store.ReadyTable;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** One placement pass: snapshot, decide, write, under the lock and epoch of the fleet. */
@ApplicationScoped
public class PlacementTransaction {
  private final Database database;
  private final Leadership leadership;
  private final HostDirectory hosts;
  private final Refusals refusals;
  private final Placing placing;
  private final FairShare shares;
  private final UsageBook usage;
  private final MemoryBook memory;
  private final SuspectBook suspects;
  private final Timer decisions;
  private final int heads;
  private final long reserveAfterMs;

  /** Soft state: after a takeover claims are made anew. */
  private volatile List<Claim> claims = List.of();

  PlacementTransaction(
      Database database,
      Leadership leadership,
      HostDirectory hosts,
      Refusals refusals,
      Placing placing,
      FairShare shares,
      UsageBook usage,
      MemoryBook memory,
      SuspectBook suspects,
      StokerConfig config,
      MeterRegistry meters) {
    this.database = database;
    this.leadership = leadership;
    this.hosts = hosts;
    this.refusals = refusals;
    this.placing = placing;
    this.shares = shares;
    this.usage = usage;
    this.memory = memory;
    this.suspects = suspects;
    decisions = meters.timer("stoker.placement.decision");
    heads = config.placement().heads();
    reserveAfterMs = config.placement().reserveAfter().toMillis();
  }

  /**
   * What a pass did.
   *
   * @param epochs of the hosts when it began
   * @param left what the pass leaves for the next one
   * @param overdue jobs that have waited for a host that there is not, each with the reason
   */
  public record Passed(
      Ledger ledger,
      List<AttemptRow> opened,
      Decision decision,
      Map<String, Long> epochs,
      Left left,
      Map<String, String> overdue) {}

  /**
   * What a pass leaves.
   *
   * @param full no host had room for anything
   * @param idle nobody is in line any more
   * @param more there may be others in line behind those that the pass looked at
   */
  public record Left(boolean full, boolean idle, boolean more) {}

  private record Decided(
      Decision decision, List<HostRow> hosts, Left left, Map<String, String> overdue) {
    Passed passed(Ledger ledger, List<AttemptRow> opened) {
      return new Passed(ledger, opened, decision, HostRow.epochs(hosts), left, overdue);
    }
  }

  /** Runs a pass; nothing if this replica does not schedule. */
  public Uni<Optional<Passed>> pass() {
    if (leadership.epoch().isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    long epoch = leadership.epoch().getAsLong();
    return database
        .once(
            session ->
                FleetTable.lock(session, leadership.fleet(), epoch)
                    .chain(
                        now -> {
                          if (now.isEmpty()) {
                            leadership.lost();
                            return Uni.createFrom().item(Optional.<Passed>empty());
                          }
                          Ledger ledger = new Ledger(now.getAsLong());
                          return decide(session, ledger.now())
                              .chain(decided -> write(session, ledger, decided));
                        }))
        .invoke(passed -> passed.ifPresent(done -> claims = done.decision().claims()));
  }

  private Uni<Decided> decide(StatelessSession session, long now) {
    return HostTable.all(session)
        .chain(
            rows ->
                AttemptTable.all(session)
                    .chain(
                        open -> {
                          List<Host> fleet =
                              SuspectRules.apply(
                                  FleetView.hosts(rows, open, hosts::alive, hosts::lastHeartbeat),
                                  suspects.suspicions(now),
                                  open);
                          int depth = Depth.of(fleet, heads);
                          return ReadyTable.heads(session, depth)
                              .chain(line -> expecting(session, line))
                              .chain(
                                  line ->
                                      lanes(session, line)
                                          .map(
                                              lanes ->
                                                  decided(
                                                      rows, fleet, open, line, lanes, depth, now)));
                        }));
  }

  private Uni<List<Head>> expecting(StatelessSession session, List<Head> line) {
    Set<MemoryKeys> jobs =
        line.stream()
            .map(head -> head.memory().keys())
            .filter(MemoryKeys::learns)
            .collect(Collectors.toSet());
    return jobs.isEmpty()
        ? Uni.createFrom().item(line)
        : memory.estimates(session, jobs).map(estimates -> MemoryView.expecting(line, estimates));
  }

  /** What groups with a plan may still start; nothing is asked where none is in line. */
  private static Uni<Map<String, LaneLimit>> lanes(StatelessSession session, List<Head> line) {
    Set<String> groups =
        line.stream().map(Head::lane).filter(Objects::nonNull).collect(Collectors.toSet());
    return ExperimentTable.limits(session, groups);
  }

  private Decided decided(
      List<HostRow> rows,
      List<Host> fleet,
      List<AttemptRow> open,
      List<Head> line,
      Map<String, LaneLimit> lanes,
      int depth,
      long now) {
    Set<String> queues = line.stream().map(Head::queue).collect(Collectors.toSet());
    Snapshot snapshot =
        new Snapshot(fleet, FleetView.heads(line, refusals::hosts))
            .shared(shares.standings(usage.ended(), open, queues, now), claims, now)
            .limited(lanes);
    Decision decision = decisions.record(() -> PlacementPass.decide(snapshot, reserveAfterMs));
    boolean full = !line.isEmpty() && fleet.stream().noneMatch(Host::hasRoom);
    Set<String> placed =
        decision.assignments().stream().map(Assignment::job).collect(Collectors.toSet());
    boolean more = Depth.ended(line, depth, placed);
    boolean idle = placed.size() == line.size() && !more;
    Left left = new Left(full, idle, more);
    return new Decided(decision, rows, left, Unsatisfiable.overdue(snapshot, decision));
  }

  private Uni<Optional<Passed>> write(StatelessSession session, Ledger ledger, Decided decided) {
    List<Assignment> assignments = decided.decision().assignments();
    List<String> jobs = assignments.stream().map(Assignment::job).toList();
    if (jobs.isEmpty()) {
      return Uni.createFrom().item(Optional.of(decided.passed(ledger, List.of())));
    }
    return JobLoader.queued(session, ledger, jobs)
        .map(loaded -> placing.place(ledger, assignments))
        .map(opened -> decided.passed(ledger, opened))
        .call(() -> LedgerWriter.write(session, ledger))
        .map(Optional::of);
  }
}
