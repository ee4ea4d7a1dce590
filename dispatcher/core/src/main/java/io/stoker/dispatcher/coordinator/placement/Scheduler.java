package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.coordinator.commit.CommitEvents;
import io.stoker.dispatcher.coordinator.end.CodedEnd;
import io.stoker.dispatcher.coordinator.status.StatusPublisher;
import io.stoker.dispatcher.placement.Claim;
import io.stoker.dispatcher.placement.Pace;
import io.stoker.dispatcher.placement.Pace.Expected;
import io.stoker.dispatcher.placement.PassLog;
import io.stoker.dispatcher.placement.Unplaced;
import io.stoker.dispatcher.runtime.Environment;
import io.stoker.dispatcher.runtime.Isolation;
import io.stoker.dispatcher.runtime.Pump;
import io.stoker.dispatcher.runtime.SetAsides;
import io.stoker.dispatcher.runtime.Spacing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Runs placement passes when something changed, and publishes what they placed. */
public final class Scheduler {
  private static final System.Logger LOG = System.getLogger(Scheduler.class.getName());

  /** A timer that fires a moment too soon would ask nobody. */
  private static final long MARGIN_MS = 5;

  private static final String STEP = "reading what it asks for";

  private final Environment environment;
  private final Isolation<Unread> line;
  private final PlacementTransaction transaction;
  private final PlacementsPublisher placements;
  private final StatusPublisher statuses;
  private final CommitEvents commits;
  private final PlacementListener listener;
  private final Unsatisfied unsatisfied;
  private final Preemptions preemptions;
  private final Pace pace;
  private final PassLog log = new PassLog();
  private final Pump pump;
  private volatile Map<String, Unplaced> unplaced = Map.of();
  private volatile List<Claim> claims = List.of();

  /**
   * No host had room in the last pass: until one may have, arrivals need no pass of their own. If
   * that was heard wrongly, the sweep's pass finds out.
   */
  private volatile boolean full;

  /** Nobody was in line at the last pass: until somebody is, room needs no pass of its own. */
  private volatile boolean idle;

  private volatile int placedLast;

  /** A job in line, and why it cannot be placed. */
  private record Unread(String job, RuntimeException why) {}

  public Scheduler(
      Environment environment,
      PlacementTransaction transaction,
      PlacementsPublisher placements,
      StatusPublisher statuses,
      CommitEvents commits,
      Unsatisfied unsatisfied,
      Preemptions preemptions,
      Pace pace,
      SetAsides asides,
      CodedEnd ends,
      PlacementListener listener) {
    this.environment = environment;
    pump = new Pump("placement pass", environment, this::pass, this::apart);
    line =
        asides.isolation(
            STEP,
            Unread::job,
            one -> Uni.createFrom().failure(one.getFirst().why()),
            (one, reason) -> ends.job(one.job(), STEP, reason));
    this.transaction = transaction;
    this.placements = placements;
    this.statuses = statuses;
    this.commits = commits;
    this.unsatisfied = unsatisfied;
    this.preemptions = preemptions;
    this.pace = pace;
    this.listener = listener;
  }

  /**
   * There may be something to place.
   *
   * @param room whether hosts may have room that they had not
   * @param inLine whether there may be jobs in line that were not
   */
  public void wake(boolean room, boolean inLine) {
    if ((room && !idle) || (inLine && !full) || (room && inLine)) {
      pump.wake();
    }
  }

  /** A host may be asked again in so many ms that said for how long it need not be. */
  public void wakeForRoom(long inMs) {
    environment.timer().schedule(() -> wake(true, false), inMs + MARGIN_MS, TimeUnit.MILLISECONDS);
  }

  public void stop() {
    pump.stop();
  }

  /** Why the job was left by the last pass, if it was among the first in line. */
  public Optional<Unplaced> whyUnplaced(String job) {
    return Optional.ofNullable(unplaced.get(job));
  }

  private long apart() {
    return Spacing.nanosAfter(placedLast);
  }

  /** What room is kept for, as far as this replica knows. */
  public List<Claim> claims() {
    return claims;
  }

  /** When a job starts that has so many of its queue before it, if that can be said. */
  public Optional<Expected> expected(String queue, long ahead, long now) {
    return pace.of(queue, ahead, now);
  }

  private Uni<Boolean> pass() {
    if (transaction.isToWait()) {
      return Uni.createFrom().item(false);
    }
    long started = environment.nanos();
    return transaction
        .pass()
        .invoke(passed -> passed.ifPresent(done -> listener.passed(environment.nanos() - started)))
        .chain(passed -> passed.isEmpty() ? Uni.createFrom().item(false) : followed(passed.get()));
  }

  /** Whether there may be anybody in line. */
  boolean hasLine() {
    return !idle;
  }

  /** A pass has waited for one within another transaction, which is over. */
  void waited() {
    pump.wake();
  }

  /** What was a pass within another transaction has committed. */
  void joined(Passed passed) {
    listener.placedAtOnce(passed.opened().size());
    followed(passed)
        .subscribe()
        .with(
            more -> {
              if (more) {
                pump.wake();
              }
            },
            error -> environment.failed("placement pass", error));
  }

  /** Room was made for one job: the next pass looks for others. */
  private Uni<Boolean> followed(Passed passed) {
    line.succeeded(
        passed.opened().stream().map(attempt -> new Unread(attempt.job(), null)).toList());
    return publish(passed)
        .call(() -> setAside(passed.unreadable()))
        .call(() -> unsatisfied.follow(passed.never(), passed.ledger().now()).chain(this::setAside))
        .chain(more -> preemptions.carryOut(passed.preempts()).map(preempted -> more || preempted));
  }

  private Uni<Void> setAside(Map<String, RuntimeException> unreadable) {
    return line.each(
        unreadable.entrySet().stream()
            .map(one -> new Unread(one.getKey(), one.getValue()))
            .toList());
  }

  private void log(Passed passed) {
    int placed = (int) passed.opened().stream().filter(attempt -> attempt.rank() == 0).count();
    log.passed(
            placed,
            passed.preempts().isPresent(),
            passed.decision().unplaced(),
            passed.ledger().now())
        .ifPresent(line -> LOG.log(System.Logger.Level.INFO, line));
  }

  private Uni<Boolean> publish(Passed passed) {
    log(passed);
    claims = passed.decision().claims();
    unplaced =
        passed.decision().unplaced().entrySet().stream()
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    full = passed.left().full();
    idle = passed.left().idle();
    boolean again = passed.left().turns() || passed.left().given();
    // While hosts start the next by themselves nobody waits for the next pass.
    placedLast = again || passed.left().held() ? Spacing.MANY : passed.opened().size();
    pace.started(passed.opened(), passed.ledger().now());
    if (!passed.opened().isEmpty() || !passed.ledger().told().isEmpty()) {
      commits.afterIntake(passed.ledger());
    }
    if (passed.opened().isEmpty()) {
      return Uni.createFrom().item(again);
    }
    // Not after the placements: a job may end sooner than its placement is confirmed, and its
    // PLACED should not come on the topic after that. The attempts' rows, and what is heard of
    // them, owe these statuses: the next pass need not wait for them.
    statuses.publishSoon(passed.ledger());
    return placements
        .publish(passed.placed(), passed.epochs())
        .replaceWith(passed.left().more() || passed.left().given());
  }
}
