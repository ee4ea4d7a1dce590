package io.stoker.dispatcher.coordinator.placement;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.placement.ThroughputEstimate;
import io.stoker.dispatcher.placement.ThroughputEstimate.Expected;
import io.stoker.dispatcher.placement.UnschedulableReason;
import io.stoker.dispatcher.runtime.BatchDelay;
import io.stoker.dispatcher.runtime.CoalescingTask;
import io.stoker.dispatcher.runtime.Environment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Runs placement passes when something changed, and publishes what they placed. */
public final class Scheduler {
  /** A timer that fires a moment too soon would ask nobody. */
  private static final long MARGIN_MS = 5;

  private final Environment environment;
  private final PlacementTransaction transaction;
  private final PassFollowUp followUp;
  private final ThroughputEstimate throughput;
  private final PlacementListener listener;
  private final CoalescingTask task;
  private volatile Map<String, UnschedulableReason> unplaced = Map.of();
  private volatile List<Reservation> reservations = List.of();

  /**
   * No host had room in the last pass: until one may have, arrivals need no pass of their own. If
   * that was heard wrongly, the sweep's pass finds out.
   */
  private volatile boolean full;

  /** Nobody was in line at the last pass: until somebody is, room needs no pass of its own. */
  private volatile boolean idle;

  /** What was told, and needed no pass by what the last one found, since the next one began. */
  private volatile boolean roomUnheard;

  private volatile boolean lineUnheard;

  private volatile int placedLast;

  public Scheduler(
      Environment environment,
      PlacementTransaction transaction,
      PassFollowUp followUp,
      ThroughputEstimate throughput,
      PlacementListener listener) {
    this.environment = environment;
    task = new CoalescingTask("placement pass", environment, this::pass, this::apart);
    this.transaction = transaction;
    this.followUp = followUp;
    this.throughput = throughput;
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
      task.wake();
    } else {
      roomUnheard |= room;
      lineUnheard |= inLine;
    }
  }

  /** A host may be asked again in so many ms that said for how long it need not be. */
  public void wakeForRoom(long inMs) {
    environment.timer().schedule(() -> wake(true, false), inMs + MARGIN_MS, TimeUnit.MILLISECONDS);
  }

  public void stop() {
    task.stop();
  }

  /** Why the job was left by the last pass, if it was among the first in line. */
  public Optional<UnschedulableReason> whyUnplaced(String job) {
    return Optional.ofNullable(unplaced.get(job));
  }

  private long apart() {
    return BatchDelay.nanosAfter(placedLast);
  }

  /** What room is kept for, as far as this replica knows. */
  public List<Reservation> reservations() {
    return reservations;
  }

  /** When a job starts that has so many of its queue before it, if that can be said. */
  public Optional<Expected> expected(String queue, long ahead, long now) {
    return throughput.of(queue, ahead, now);
  }

  private Uni<Boolean> pass() {
    if (transaction.isToWait()) {
      return Uni.createFrom().item(false);
    }
    begins();
    long started = environment.nanos();
    return transaction
        .pass()
        .invoke(passed -> passed.ifPresent(done -> listener.passed(environment.nanos() - started)))
        .chain(passed -> passed.isEmpty() ? Uni.createFrom().item(false) : followed(passed.get()));
  }

  /** A pass begins, which sees all that was told until now. */
  void begins() {
    roomUnheard = false;
    lineUnheard = false;
  }

  /** Whether there may be anybody in line. */
  boolean hasLine() {
    return !idle;
  }

  /** A pass has waited for one within another transaction, which is over. */
  void waited() {
    task.wake();
  }

  /** What was a pass within another transaction has committed. */
  void joined(Passed passed) {
    listener.placedAtOnce(passed.opened().size());
    followed(passed)
        .subscribe()
        .with(
            more -> {
              if (more) {
                task.wake();
              }
            },
            error -> environment.failed("placement pass", error));
  }

  private Uni<Boolean> followed(Passed passed) {
    boolean more = learn(passed);
    return followUp.follow(passed).map(preempted -> more || preempted);
  }

  /** Whether there is more to do for the next pass at once. */
  private boolean learn(Passed passed) {
    reservations = passed.decision().reservations();
    unplaced = Map.copyOf(passed.decision().unplaced());
    full = passed.left().full();
    idle = passed.left().idle();
    boolean unheard = (roomUnheard && !idle) || (lineUnheard && !full);
    boolean again = passed.left().turns() || passed.left().given();
    // While hosts start the next by themselves nobody waits for the next pass.
    placedLast = again || passed.left().held() ? BatchDelay.MANY : passed.opened().size();
    return passed.opened().isEmpty()
        ? again || unheard
        : passed.left().more() || passed.left().given() || unheard;
  }
}
