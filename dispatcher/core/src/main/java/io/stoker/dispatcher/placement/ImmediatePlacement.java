package io.stoker.dispatcher.placement;

import io.stoker.common.state.Code;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.FleetMemory.Known;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing.Placed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Places new jobs in the transaction that takes them in, where nobody in line could have their
 * room: what a pass would decide, by what the scheduler remembers of its fleet. What finds no room
 * gets in line as ever.
 *
 * <p>The transaction holds the fleet's row, looks into the line, and at the versions of the hosts,
 * before it decides: so what is decided on is what is committed, but for attempts that others have
 * closed.
 */
public final class ImmediatePlacement {
  /** Pairs of job and host that are looked at without holding up the transaction. */
  private static final int MOST_LOOKS = 4_096;

  /** Where as many are in line, or more, whoever comes gets in line behind them. */
  public static final int MOST_IN_LINE = 64;

  private final FleetMemory memory;
  private final Placing placing;
  private final long reserveAfterMs;

  /**
   * @param reserveAfterMs how long a job waits at least before room is kept for it
   */
  public ImmediatePlacement(FleetMemory memory, Placing placing, long reserveAfterMs) {
    this.memory = memory;
    this.placing = placing;
    this.reserveAfterMs = reserveAfterMs;
  }

  /**
   * What the transaction found.
   *
   * @param epoch under which it holds the fleet's row; negative if it does not
   * @param line jobs that are in line, {@link #MOST_IN_LINE} at most
   * @param versions of the hosts' rows, by host
   */
  public record Look(long epoch, Set<String> line, Map<String, String> versions) {
    /** It is not for this replica, or not now, to place anything. */
    public static final Look NOTHING = new Look(-1, Set.of(), Map.of());

    /** Whether anything may be placed by it. */
    public boolean mayPlace() {
      return epoch >= 0 && line.size() < MOST_IN_LINE;
    }
  }

  /** What was placed; to be {@link #committed} once the transaction has. */
  public record Done(Known known, Placed placed) {
    /** The epochs of the hosts for which it was placed. */
    public Map<String, Long> epochs() {
      return HostRow.epochs(known.hosts());
    }
  }

  /**
   * What a unit of work puts in line, if all of that is new and plain; nothing otherwise, since
   * nobody is to be overtaken.
   *
   * @param planned whether a group says what of it may start
   */
  public static List<QueueHead> heads(UnitOfWork unit, Predicate<String> planned) {
    List<QueueHead> heads = new ArrayList<>();
    for (ReadyRow row : unit.madeReady()) {
      JobRow job = unit.jobs().get(row.job());
      Shape shape = Shape.parse(row.shape());
      boolean plain =
          unit.jobs().before(job.id()).isEmpty()
              && shape.members() == 1
              && (row.group() == null || !planned.test(row.group()));
      if (!plain) {
        return List.of();
      }
      heads.add(head(row, job, shape));
    }
    return heads;
  }

  private static QueueHead head(ReadyRow row, JobRow job, Shape shape) {
    return new QueueHead(
        row.job(),
        row.queue(),
        shape,
        row.priority(),
        row.seq(),
        row.rank(),
        job.setbacks().avoid(),
        Set.of(),
        Memory.of(shape, job.fingerprint(), job.asked().profile(), job.setbacks().failures()),
        null,
        job.code() == Code.UNSATISFIABLE);
  }

  /** What is remembered, for a transaction that may place these by it; then it is lent to that. */
  public Optional<Known> borrow(Look look, List<QueueHead> heads) {
    Optional<Known> borrowed =
        look.mayPlace() && !heads.isEmpty() ? memory.borrow() : Optional.empty();
    if (borrowed.isEmpty()) {
      return borrowed;
    }
    Known known = borrowed.get();
    if (known.epoch() != look.epoch()) {
      memory.forget();
      return Optional.empty();
    }
    long looks = (long) (known.waiting().size() + heads.size()) * known.hosts().size();
    if (!known.waits(look.line()) || looks > MOST_LOOKS) {
      memory.giveBack(known, List.of());
      return Optional.empty();
    }
    return borrowed;
  }

  /**
   * Opens attempts for those of a unit of work's new jobs for which there is room.
   *
   * @param snapshot who waits, and behind them the new jobs, before the hosts that are remembered
   */
  public Optional<Done> place(UnitOfWork unit, Look look, Known known, Snapshot snapshot) {
    List<Assignment> assignments = decide(known, snapshot);
    if (!assignments.stream().allMatch(one -> unchanged(known, look, one.host()))) {
      memory.forget();
      return Optional.empty();
    }
    Placed placed = placing.place(unit, assignments);
    if (placed.opened().isEmpty()) {
      memory.giveBack(known, List.of());
      return Optional.empty();
    }
    return Optional.of(new Done(known, placed));
  }

  /** Nothing where one that waits could get room: that is for a pass, which sees them all. */
  private List<Assignment> decide(Known known, Snapshot snapshot) {
    Decision decision = PlacementPass.decide(snapshot, reserveAfterMs);
    Set<String> before = known.waiting().stream().map(QueueHead::job).collect(Collectors.toSet());
    boolean others =
        !decision.reservations().isEmpty()
            || decision.assignments().stream().anyMatch(one -> before.contains(one.job()));
    return others ? List.of() : decision.assignments();
  }

  private static boolean unchanged(Known known, Look look, String host) {
    String version = known.versions().get(host);
    return version != null && version.equals(look.versions().get(host));
  }

  /** The transaction has committed. */
  public void committed(Done done) {
    memory.giveBack(done.known(), done.placed().opened());
  }

  /**
   * The transaction has failed.
   *
   * @return whether it may have, or another one, for what was placed: nothing is, for now
   */
  public boolean failed() {
    return memory.forget();
  }
}
