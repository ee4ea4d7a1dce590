package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.unchecked.Unchecked;
import io.stoker.dispatcher.coordinator.leader.Leader;
import io.stoker.dispatcher.coordinator.placement.FleetReader.Rows;
import io.stoker.dispatcher.coordinator.placement.LineReader.Seen;
import io.stoker.dispatcher.coordinator.placement.Passed.Left;
import io.stoker.dispatcher.coordinator.placement.Snapshots.Fleet;
import io.stoker.dispatcher.ledger.Ledger;
import io.stoker.dispatcher.placement.Assignment;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.placement.Head;
import io.stoker.dispatcher.placement.LeftOut;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.LookAhead;
import io.stoker.dispatcher.placement.NeverServed;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.placement.Snapshot;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.store.Store;
import io.stoker.dispatcher.store.Transaction;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One placement pass: snapshot, decide, write, under the lock and epoch of the fleet. */
public final class PlacementTransaction {
  /** Pairs of job and host that are looked at within some milliseconds. */
  private static final int FEW_LOOKS = 4_096;

  /** A pass waits so long for one within another transaction: that may never tell how it ended. */
  private static final long PATIENCE_MS = 1_000;

  private final Environment environment;
  private final Store store;
  private final Leader leader;
  private final Snapshots snapshots;
  private final Placing placing;
  private final LookAhead lookAhead;
  private final Preemptions preemptions;
  private final LineReader line;
  private final LeftOut leftOut;
  private final FleetMemory memory;
  private final PlacementListener listener;
  private final Settings settings;

  /** When the last pass within another transaction began. */
  private volatile long joinedAt;

  /** Soft state: after a takeover claims are made anew. */
  private volatile List<Claim> claims = List.of();

  /** Of these, which others were told of. */
  private volatile Reserved told = new Reserved(-1, List.of());

  /** Soft state, too. */
  private volatile NeverServed never = NeverServed.NOBODY;

  /**
   * How passes are made.
   *
   * @param reserveAfterMs so long a job waits until room is kept for it
   * @param sayNeverAfterMs so long no host could serve a job until it is told so
   */
  public record Settings(long reserveAfterMs, long sayNeverAfterMs) {}

  public PlacementTransaction(
      Environment environment,
      Store store,
      Leader leader,
      Snapshots snapshots,
      Placing placing,
      LookAhead lookAhead,
      Preemptions preemptions,
      LineReader line,
      LeftOut leftOut,
      FleetMemory memory,
      PlacementListener listener,
      Settings settings) {
    this.environment = environment;
    this.store = store;
    this.leader = leader;
    this.snapshots = snapshots;
    this.placing = placing;
    this.lookAhead = lookAhead;
    this.preemptions = preemptions;
    this.leftOut = leftOut;
    this.memory = memory;
    this.listener = listener;
    this.settings = settings;
    this.line = line;
  }

  /** Claims of an epoch, as all replicas show them. */
  private record Reserved(long epoch, List<Claim> claims) {}

  private record Decided(
      Snapshot snapshot,
      Decision decision,
      Fleet fleet,
      Left left,
      NeverServed.Found never,
      List<Head> line,
      Map<String, RuntimeException> unreadable) {}

  /**
   * Whether a pass is to wait for one within another transaction, which {@link FreedRoom} tells.
   */
  boolean isToWait() {
    return nowMs() - joinedAt < PATIENCE_MS && memory.await();
  }

  /** Runs a pass; nothing if this replica does not schedule. */
  public Uni<Optional<Passed>> pass() {
    OptionalLong held = leader.epoch();
    if (held.isEmpty()) {
      return Uni.createFrom().item(Optional.empty());
    }
    FleetReader fleet = new FleetReader(memory, memory.begin(), held.getAsLong(), nowMs());
    return store
        .once(
            "pass",
            tx ->
                Uni.combine()
                    .all()
                    .unis(
                        tx.fleet().lock(leader.fleet(), held.getAsLong()),
                        fleet.read(tx),
                        line.read(tx))
                    .asTuple()
                    .chain(
                        read -> {
                          OptionalLong now = read.getItem1();
                          if (now.isEmpty()) {
                            leader.lost();
                            return Uni.createFrom().item(Optional.<Passed>empty());
                          }
                          return within(
                                  tx,
                                  read.getItem2(),
                                  read.getItem3(),
                                  now.getAsLong(),
                                  tx::loadQueued)
                              .call(done -> tell(tx, reserved(held.getAsLong(), done)))
                              .call(done -> writeLast(tx, done))
                              .map(Optional::of);
                        }))
        .invoke(
            passed ->
                passed.ifPresentOrElse(
                    done -> {
                      told = reserved(held.getAsLong(), done);
                      remember(done, fleet);
                    },
                    memory::forget))
        .onFailure()
        .invoke(memory::forget);
  }

  private static Reserved reserved(long epoch, Passed done) {
    return new Reserved(epoch, done.decision().claims());
  }

  /** Seldom: a claim stays as it is from one pass to the next. */
  private Uni<Void> tell(Transaction tx, Reserved now) {
    List<Claim> before = told.epoch() == now.epoch() ? told.claims() : List.of();
    return before.equals(now.claims())
        ? Uni.createFrom().voidItem()
        : tx.fleet().reserve(leader.fleet(), now.epoch(), now.claims());
  }

  private Uni<Void> writeLast(Transaction tx, Passed done) {
    return done.opened().isEmpty()
        ? Uni.createFrom().voidItem()
        : tx.writeLast(done.ledger(), tx.fleet().announce(leader.fleet(), done.ledger().named()));
  }

  /** Begins a pass within another transaction, unless somebody else is placing by what is known. */
  Optional<FleetReader> join(long epoch) {
    OptionalLong pass = memory.join(epoch);
    if (pass.isPresent()) {
      joinedAt = nowMs();
    }
    return pass.isPresent()
        ? Optional.of(new FleetReader(memory, pass.getAsLong(), epoch, nowMs()))
        : Optional.empty();
  }

  /** Reads the line. */
  Uni<Seen> line(Transaction tx) {
    return line.read(tx);
  }

  /** Whether it is decided without holding up a transaction. */
  boolean isQuick(Rows rows, Seen seen) {
    return (long) seen.read().heads().size() * rows.hosts().size() <= FEW_LOOKS;
  }

  /** How jobs in line are loaded that get room; those that are not stay in line. */
  interface Loading {
    Uni<Void> load(Ledger ledger, List<String> jobs);
  }

  /** A pass, in a transaction that holds the fleet's row; its ledger is still to be written. */
  Uni<Passed> within(Transaction tx, Rows rows, Seen seen, long now, Loading loading) {
    Ledger ledger = new Ledger(now);
    return decide(tx, snapshots.fleet(rows, now), seen, now)
        .chain(decided -> open(tx, ledger, decided, loading));
  }

  /** Writes what a pass within another transaction opened. */
  Uni<Void> write(Transaction tx, Ledger opened) {
    return Uni.combine()
        .all()
        .unis(tx.write(opened), tx.fleet().announce(leader.fleet(), opened.named()))
        .discardItems();
  }

  /** Those of whom others make room are in the store. */
  void remember(Passed passed, FleetReader fleet) {
    claims = passed.decision().claims().stream().filter(claim -> !claim.isMade()).toList();
    fleet.learn(passed);
  }

  private long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(environment.nanos());
  }

  private Uni<Decided> decide(Transaction tx, Fleet fleet, Seen likely, long now) {
    return preemptions
        .claims(tx, fleet.open(), now)
        .chain(
            made ->
                line.deeper(tx, likely, fleet.hosts())
                    .chain(
                        seen ->
                            snapshots
                                .snapshot(tx, fleet, withMade(made), seen.read().heads(), now)
                                .chain(snapshot -> decide(fleet, seen, snapshot))));
  }

  private List<Claim> withMade(List<Claim> made) {
    Set<String> jobs = made.stream().map(Claim::job).collect(Collectors.toSet());
    return Stream.concat(
            made.stream(), claims.stream().filter(claim -> !jobs.contains(claim.job())))
        .toList();
  }

  private Uni<Decided> decide(Fleet fleet, Seen seen, Snapshot snapshot) {
    Callable<Decided> work = () -> decided(fleet, seen, snapshot);
    return (long) snapshot.heads().size() * snapshot.hosts().size() <= FEW_LOOKS
        ? Uni.createFrom().item(Unchecked.supplier(work::call))
        : environment.compute(work);
  }

  private Decided decided(Fleet fleet, Seen seen, Snapshot snapshot) {
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
    NeverServed.Found found =
        never.after(snapshot, decision, settings.sayNeverAfterMs(), seen.hasAllLines());
    never = found.next();
    listener.searched(decision.searches());
    boolean held = fleet.hosts().stream().anyMatch(host -> LookAhead.held(host) > 0);
    boolean idle = all && !more && !next.many() && !held;
    Left left = new Left(full, idle, more, next.goesOn(), false, held);
    List<Head> heads = seen.read().heads();
    return new Decided(snapshot, decision, fleet, left, found, heads, seen.read().unreadable());
  }

  private Uni<Passed> open(Transaction tx, Ledger ledger, Decided decided, Loading loading) {
    Fleet fleet = decided.fleet();
    Decision decision = decided.decision();
    lookAhead
        .calls(decided.snapshot(), decision, fleet.rows(), fleet.open(), ledger.now())
        .forEach(call -> ledger.tell(call.host(), call.message()));
    return preemptions
        .look(tx, decided.snapshot(), decision, fleet.rows(), fleet.open())
        .chain(
            found ->
                place(ledger, decision.assignments(), decided.snapshot(), loading)
                    .map(
                        placed ->
                            new Passed(
                                ledger,
                                placed,
                                found.decision(),
                                fleet,
                                decided.line(),
                                decided.left().given(isGivenAnew(ledger, decision, placed)),
                                decided.never(),
                                found.plan(),
                                both(decided.unreadable(), placed.unreadable()))));
  }

  /** Whether some of the room that was given is to be given anew. */
  private boolean isGivenAnew(Ledger ledger, Decision decision, Placed placed) {
    boolean left =
        placed.unreadable().keySet().stream()
            .map(leftOut::failed)
            .reduce(false, (some, one) -> some || one);
    return left || !decision.assignments().stream().allMatch(one -> isLoaded(ledger, one));
  }

  private static boolean isLoaded(Ledger ledger, Assignment one) {
    return ledger.jobs().find(one.job()).isPresent();
  }

  private static Map<String, RuntimeException> both(
      Map<String, RuntimeException> some, Map<String, RuntimeException> others) {
    Map<String, RuntimeException> all = new LinkedHashMap<>(some);
    all.putAll(others);
    return all;
  }

  private Uni<Placed> place(
      Ledger ledger, List<Assignment> assignments, Snapshot snapshot, Loading loading) {
    List<String> jobs = assignments.stream().map(Assignment::job).toList();
    return jobs.isEmpty()
        ? Uni.createFrom().item(Placed.NOTHING)
        : loading.load(ledger, jobs).map(loaded -> place(ledger, assignments, snapshot));
  }

  private Placed place(Ledger ledger, List<Assignment> assignments, Snapshot snapshot) {
    List<Assignment> loaded = assignments.stream().filter(one -> isLoaded(ledger, one)).toList();
    Placed placed = placing.place(ledger, loaded, snapshot::asked);
    lookAhead.placed(placed, loaded, snapshot);
    return placed;
  }
}
