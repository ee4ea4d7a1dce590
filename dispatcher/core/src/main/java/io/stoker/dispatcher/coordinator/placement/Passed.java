package io.stoker.dispatcher.coordinator.placement;

import io.stoker.dispatcher.coordinator.placement.Snapshots.Fleet;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.FleetMemory.Known;
import io.stoker.dispatcher.placement.ImmediatePlacement;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.placement.Preemption;
import io.stoker.dispatcher.placement.QueueHead;
import io.stoker.dispatcher.placement.UnsatisfiableJobs;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The result of a pass.
 *
 * @param fleet as it was when it began
 * @param line whom it saw in line
 * @param left what the pass leaves for the next one
 * @param never what was found of jobs that no host can ever serve
 * @param preempts who is to make room for whom
 * @param unreadable jobs in line that cannot be placed, and why
 */
public record Passed(
    UnitOfWork unit,
    Placed placed,
    Decision decision,
    Fleet fleet,
    List<QueueHead> line,
    Remainder left,
    UnsatisfiableJobs.Found never,
    Optional<Preemption.Plan> preempts,
    Map<String, RuntimeException> unreadable) {
  List<AttemptRow> opened() {
    return placed.opened();
  }

  /** The epochs of the hosts when it began. */
  Map<String, Long> epochs() {
    return HostRow.epochs(fleet.rows());
  }

  /** Whether it leaves nothing but a short line of those for whom no host has room. */
  private boolean isSettled() {
    return decision.reservations().isEmpty()
        && preempts.isEmpty()
        && !left.more()
        && line.size() - opened().size() < ImmediatePlacement.MOST_IN_LINE;
  }

  /**
   * What is known of the fleet after it.
   *
   * @param readAt when its hosts were read
   */
  Known known(long generation, long epoch, long readAt) {
    Set<String> placed = opened().stream().map(AttemptRow::job).collect(Collectors.toSet());
    return new Known(
        generation,
        epoch,
        readAt,
        fleet.rows(),
        fleet.read().versions(),
        Stream.concat(fleet.open().stream(), opened().stream()).toList(),
        isSettled(),
        line.stream().filter(head -> !placed.contains(head.job())).toList());
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
  public record Remainder(
      boolean full, boolean idle, boolean more, boolean turns, boolean given, boolean held) {
    Remainder given(boolean some) {
      return new Remainder(full && !some, idle && !some, more, turns, some, held);
    }
  }
}
