package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.unchecked.Unchecked;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.coordinator.placement.LineReader.LineView;
import io.stoker.dispatcher.coordinator.placement.Passed.Remainder;
import io.stoker.dispatcher.coordinator.placement.Snapshots.Fleet;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.placement.UnsatisfiableJobs;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Transaction;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides passes, one after the other: each by a snapshot, and by what those before it have found.
 */
public final class PassDecisions {
  /** Pairs of job and host that are looked at within some milliseconds. */
  private static final int FEW_LOOKS = 4_096;

  private final Environment environment;
  private final Snapshots snapshots;
  private final LineReader line;
  private final PlacementListener listener;
  private final Settings settings;

  /** Soft state: after a takeover reservations are made anew. */
  private volatile List<Reservation> reservations = List.of();

  /** Soft state, too. */
  private volatile UnsatisfiableJobs never = UnsatisfiableJobs.NOBODY;

  /**
   * How passes are made.
   *
   * @param reserveAfterMs so long a job waits until room is kept for it
   * @param sayNeverAfterMs so long no host could serve a job until it is told so
   */
  public record Settings(long reserveAfterMs, long sayNeverAfterMs) {}

  public PassDecisions(
      Environment environment,
      Snapshots snapshots,
      LineReader line,
      PlacementListener listener,
      Settings settings) {
    this.environment = environment;
    this.snapshots = snapshots;
    this.line = line;
    this.listener = listener;
    this.settings = settings;
  }

  /**
   * What was decided.
   *
   * @param fleet by which it was
   * @param read of the line
   * @param left what the pass leaves, as far as all is placed that got room
   */
  record Decided(
      Snapshot snapshot,
      Decision decision,
      Fleet fleet,
      LineRead read,
      Remainder left,
      UnsatisfiableJobs.Found never) {}

  /** Reads the line. */
  Uni<LineView> line(Transaction tx) {
    return line.read(tx);
  }

  /** Whether it is decided without holding up a transaction. */
  static boolean isQuick(Rows rows, LineView seen) {
    return isQuick(seen.read().heads().size(), rows.hosts().size());
  }

  private static boolean isQuick(int heads, int hosts) {
    return (long) heads * hosts <= FEW_LOOKS;
  }

  /**
   * Decides.
   *
   * @param made what room others make for whom
   */
  Uni<Decided> decide(
      Transaction tx, Rows rows, LineView likely, List<Reservation> made, long now) {
    Fleet fleet = snapshots.fleet(rows, now);
    return line.deeper(tx, likely, fleet.hosts())
        .chain(
            seen ->
                snapshots
                    .snapshot(tx, fleet, withMade(made), seen.read().heads(), now)
                    .chain(snapshot -> decide(fleet, seen, snapshot)));
  }

  private List<Reservation> withMade(List<Reservation> made) {
    Set<String> jobs = made.stream().map(Reservation::job).collect(Collectors.toSet());
    return Stream.concat(
            made.stream(), reservations.stream().filter(kept -> !jobs.contains(kept.job())))
        .toList();
  }

  private Uni<Decided> decide(Fleet fleet, LineView seen, Snapshot snapshot) {
    Callable<Decided> work = () -> decided(fleet, seen, snapshot);
    return isQuick(snapshot.heads().size(), snapshot.hosts().size())
        ? Uni.createFrom().item(Unchecked.supplier(work::call))
        : environment.compute(work);
  }

  private Decided decided(Fleet fleet, LineView seen, Snapshot snapshot) {
    long start = environment.nanos();
    Decision decision = PlacementPass.decide(snapshot, settings.reserveAfterMs());
    long end = environment.nanos();
    listener.decided(end - start);
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
    UnsatisfiableJobs.Found found =
        never.after(snapshot, decision, settings.sayNeverAfterMs(), seen.hasAllLines());
    never = found.next();
    listener.searched(decision.searches());
    boolean held = fleet.hosts().stream().anyMatch(host -> LookAhead.held(host) > 0);
    boolean idle = all && !more && !next.many() && !held;
    Remainder left = new Remainder(full, idle, more, next.goesOn(), false, held);
    return new Decided(snapshot, decision, fleet, seen.read(), left, found);
  }

  /** None of these could be placed; whether some of them are not looked at from now on. */
  boolean leavesOut(Set<String> jobs) {
    return line.leavesOut(jobs);
  }

  /** A pass has committed: room is kept for the same. Those of whom others make room are stored. */
  void remember(Passed passed) {
    reservations =
        passed.decision().reservations().stream()
            .filter(reservation -> !reservation.isMade())
            .toList();
  }
}
