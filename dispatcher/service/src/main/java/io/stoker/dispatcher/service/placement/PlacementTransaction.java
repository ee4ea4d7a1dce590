package io.stoker.dispatcher.service.placement;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.unchecked.Unchecked;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.lease.Refusals;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.LaneLimit;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.ledger.MemoryKeys;
import io.stoker.dispatcher.memory.RunTimes;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.MemoryView;
import io.stoker.dispatcher.placement.NeverServed;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.placement.Ties;
import io.stoker.dispatcher.service.config.StokerConfig;
import io.stoker.dispatcher.service.fairshare.UsageBook;
import io.stoker.dispatcher.service.leader.Leadership;
import io.stoker.dispatcher.service.memory.MemoryBook;
import io.stoker.dispatcher.service.placement.LineReader.Seen;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.ExperimentTable;
import io.stoker.dispatcher.service.postgres.FleetTable;
import io.stoker.dispatcher.service.postgres.HostTable;
import io.stoker.dispatcher.service.postgres.JobLoader;
import io.stoker.dispatcher.service.postgres.LedgerWriter;
import io.stoker.dispatcher.service.runtime.Aside;
import jakarta.enterprise.context.ApplicationScoped;
import java.security.SecureRandom;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** One placement pass: snapshot, decide, write, under the lock and epoch of the fleet. */
@ApplicationScoped
public class PlacementTransaction {
  /** Pairs of job and host that are looked at within some milliseconds. */
  private static final int FEW_LOOKS = 4_096;

  private final Database database;
  private final Leadership leadership;
  private final HostDirectory hosts;
  private final Refusals refusals;
  private final Placing placing;
  private final FairShare shares;
  private final UsageBook usage;
  private final MemoryBook memory;
  private final RunTimes times;
  private final LookAhead lookAhead = new LookAhead();
  private final SuspectBook suspects;
  private final Preemptions preemptions;
  private final Timer decisions;
  private final Counter searches;
  private final LineReader line;
  private final LeftOut leftOut;
  private final Ties ties;
  private final long reserveAfterMs;
  private final long sayNeverAfterMs;

  /** Soft state: after a takeover claims are made anew. */
  private volatile List<Claim> claims = List.of();

  /** Soft state, too. */
  private volatile NeverServed never = NeverServed.NOBODY;

  PlacementTransaction(
      Database database,
      Leadership leadership,
      HostDirectory hosts,
      Refusals refusals,
      Placing placing,
      FairShare shares,
      UsageBook usage,
      MemoryBook memory,
      RunTimes times,
      SuspectBook suspects,
      Preemptions preemptions,
      LeftOut leftOut,
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
    this.times = times;
    this.suspects = suspects;
    this.preemptions = preemptions;
    decisions = meters.timer("stoker.placement.decision");
    searches = meters.counter("stoker.placement.searches");
    this.leftOut = leftOut;
    line = new LineReader(config.placement().heads(), leftOut, meters);
    ties = new Ties(config.placement().seed().orElseGet(() -> new SecureRandom().nextLong()));
    reserveAfterMs = config.placement().reserveAfter().toMillis();
    sayNeverAfterMs = config.placement().sayNeverAfter().toMillis();
  }

  /**
   * What a pass did.
   *
   * @param epochs of the hosts when it began
   * @param left what the pass leaves for the next one
   * @param never what was found of jobs that no host can ever serve
   * @param preempts who is to make room for whom
   * @param unreadable jobs in line that cannot be placed, and why
   */
  public record Passed(
      Ledger ledger,
      Placed placed,
      Decision decision,
      Map<String, Long> epochs,
      Left left,
      NeverServed.Found never,
      Optional<Preemption.Plan> preempts,
      Map<String, RuntimeException> unreadable) {
    List<AttemptRow> opened() {
      return placed.opened();
    }
  }

  /**
   * What a pass leaves.
   *
   * @param full no host had room for anything
   * @param idle nobody is in line any more
   * @param more there may be others in line behind those that the pass looked at
   * @param turns more because other lines have not had their turn
   * @param given some got room that cannot be placed: others may have it
   * @param held hosts hold jobs behind their CPU slots, which go on without another pass
   */
  public record Left(
      boolean full, boolean idle, boolean more, boolean turns, boolean given, boolean held) {
    Left given(boolean some) {
      return new Left(full && !some, idle && !some, more, turns, some, held);
    }
  }

  private record Decided(
      Snapshot snapshot,
      Decision decision,
      Fleet fleet,
      Left left,
      NeverServed.Found never,
      Map<String, RuntimeException> unreadable) {}

  /** What a pass reads of hosts. */
  private record Fleet(List<HostRow> rows, List<AttemptRow> open, List<Host> hosts) {}

  /** Runs a pass; nothing if this replica does not schedule. */
  public Uni<Optional<Passed>> pass() {
    OptionalLong held = leadership.epoch();
    if (held.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    long epoch = held.getAsLong();
    return database
        .once(
            "pass",
            session ->
                Uni.combine()
                    .all()
                    .unis(
                        new FleetTable(session).lock(leadership.fleet(), epoch),
                        new HostTable(session).all(),
                        AttemptTable.all(session),
                        line.read(session))
                    .asTuple()
                    .chain(
                        read -> {
                          OptionalLong now = read.getItem1();
                          if (now.isEmpty()) {
                            leadership.lost();
                            return Uni.createFrom().item(Optional.<Passed>empty());
                          }
                          Ledger ledger = new Ledger(now.getAsLong());
                          Fleet fleet = fleet(read.getItem2(), read.getItem3(), ledger.now());
                          return decide(session, fleet, read.getItem4(), ledger.now())
                              .chain(decided -> write(session, ledger, decided));
                        }))
        .invoke(passed -> passed.ifPresent(done -> remember(done.decision().claims())));
  }

  /** Those of whom others make room are in the database. */
  private void remember(List<Claim> given) {
    claims = given.stream().filter(claim -> !claim.isMade()).toList();
  }

  private Uni<Decided> decide(StatelessSession session, Fleet fleet, Seen likely, long now) {
    return preemptions
        .claims(session, fleet.open(), now)
        .chain(
            made ->
                line.deeper(session, likely, fleet.hosts())
                    .chain(seen -> decide(session, fleet, withMade(made), seen, now)));
  }

  private Fleet fleet(List<HostRow> rows, List<AttemptRow> open, long now) {
    List<Host> all = FleetView.hosts(rows, open, hosts::alive, hosts::lastHeartbeat);
    List<Host> tried = suspects.apply(all, rows, open, now);
    return new Fleet(rows, open, lookAhead.offering(tried, rows, open, now));
  }

  private List<Claim> withMade(List<Claim> made) {
    Set<String> jobs = made.stream().map(Claim::job).collect(Collectors.toSet());
    return Stream.concat(
            made.stream(), claims.stream().filter(claim -> !jobs.contains(claim.job())))
        .toList();
  }

  private Uni<Decided> decide(
      StatelessSession session, Fleet fleet, List<Claim> kept, Seen seen, long now) {
    return expecting(session, seen.read().heads())
        .chain(
            heads ->
                lanes(session, heads)
                    .map(lanes -> snapshot(fleet, kept, heads, lanes, now))
                    .chain(snapshot -> decide(fleet, seen, snapshot)));
  }

  private Uni<List<Head>> expecting(StatelessSession session, List<Head> line) {
    Set<MemoryKeys> jobs =
        line.stream()
            .flatMap(head -> head.memory().bothKeys())
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

  private Snapshot snapshot(
      Fleet fleet, List<Claim> kept, List<Head> heads, Map<String, LaneLimit> lanes, long now) {
    Set<String> queues = heads.stream().map(Head::queue).collect(Collectors.toSet());
    return new Snapshot(fleet.hosts(), FleetView.heads(heads, refusals::hosts))
        .choosing(ties)
        .shared(shares.standings(usage.ended(), fleet.open(), queues, now), kept, now)
        .limited(lanes)
        .running(lookAhead.expected(heads, times::expected));
  }

  private Uni<Decided> decide(Fleet fleet, Seen seen, Snapshot snapshot) {
    Callable<Decided> work = () -> decided(fleet, seen, snapshot);
    return (long) snapshot.heads().size() * snapshot.hosts().size() <= FEW_LOOKS
        ? Uni.createFrom().item(Unchecked.supplier(work::call))
        : Aside.run(work);
  }

  private Decided decided(Fleet fleet, Seen seen, Snapshot snapshot) {
    long start = System.nanoTime();
    Decision decision = decisions.record(() -> PlacementPass.decide(snapshot, reserveAfterMs));
    long end = System.nanoTime();
    Set<String> placed =
        decision.assignments().stream().map(Assignment::job).collect(Collectors.toSet());
    LineWindow next =
        line.decided(
            seen,
            fleet.hosts(),
            decision,
            placed,
            TimeUnit.NANOSECONDS.toMillis(end - start),
            TimeUnit.NANOSECONDS.toMillis(end));
    boolean all = placed.size() == snapshot.heads().size();
    boolean full = !snapshot.heads().isEmpty() && fleet.hosts().stream().noneMatch(Host::hasRoom);
    boolean more = seen.read().ended(placed) || next.goesOn();
    NeverServed.Found found =
        never.after(snapshot, decision, sayNeverAfterMs, !seen.window().many());
    never = found.next();
    searches.increment(decision.searches());
    boolean held = fleet.hosts().stream().anyMatch(host -> LookAhead.held(host) > 0);
    boolean idle = all && !more && !next.many() && !held;
    Left left = new Left(full, idle, more, next.goesOn(), false, held);
    return new Decided(snapshot, decision, fleet, left, found, seen.read().unreadable());
  }

  private Uni<Optional<Passed>> write(StatelessSession session, Ledger ledger, Decided decided) {
    Fleet fleet = decided.fleet();
    Decision decision = decided.decision();
    lookAhead
        .calls(decided.snapshot(), decision, fleet.rows(), fleet.open(), ledger.now())
        .forEach(call -> ledger.tell(call.host(), call.message()));
    return preemptions
        .look(session, decided.snapshot(), decision, fleet.rows(), fleet.open())
        .chain(
            found ->
                place(session, ledger, decision.assignments(), decided.snapshot())
                    .map(
                        placed ->
                            new Passed(
                                ledger,
                                placed,
                                found.decision(),
                                HostRow.epochs(fleet.rows()),
                                decided.left().given(leaveOut(placed.unreadable().keySet())),
                                decided.never(),
                                found.plan(),
                                both(decided.unreadable(), placed.unreadable()))))
        .map(Optional::of);
  }

  /** Whether room is to be given anew. */
  private boolean leaveOut(Set<String> unreadable) {
    return unreadable.stream().map(leftOut::failed).reduce(false, (some, one) -> some || one);
  }

  private static Map<String, RuntimeException> both(
      Map<String, RuntimeException> some, Map<String, RuntimeException> others) {
    Map<String, RuntimeException> all = new LinkedHashMap<>(some);
    all.putAll(others);
    return all;
  }

  private Uni<Placed> place(
      StatelessSession session, Ledger ledger, List<Assignment> assignments, Snapshot snapshot) {
    List<String> jobs = assignments.stream().map(Assignment::job).toList();
    if (jobs.isEmpty()) {
      return Uni.createFrom().item(Placed.NOTHING);
    }
    return JobLoader.queued(session, ledger, jobs)
        .map(loaded -> placing.place(ledger, assignments, snapshot::asked))
        .invoke(placed -> lookAhead.placed(placed, assignments, snapshot))
        .call(
            () ->
                LedgerWriter.writeLast(
                    session,
                    ledger,
                    new FleetTable(session).announce(leadership.fleet(), ledger.named())));
  }
}
