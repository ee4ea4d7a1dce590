package io.stoker.dispatcher.placement;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** The jobs that a pass has hosts hold behind their CPU slots. */
final class BehindSlots {
  private final Snapshot snapshot;
  private final FeasibleHosts feasible;
  private final boolean any;

  /** Hosts on which somebody waits for CPU slots whom nobody may overtake behind them. */
  private final Set<String> slotsWanted = new HashSet<>();

  /** What they ask: who asks the same finds as little. */
  private final Set<SchedulingKey> notHeld = new HashSet<>();

  BehindSlots(Snapshot snapshot, FeasibleHosts feasible) {
    this.snapshot = snapshot;
    this.feasible = feasible;
    any = snapshot.hosts().stream().anyMatch(host -> host.ahead().places() > 0);
  }

  /**
   * Gives a job that waits for room to a host where it will soon start. One that cannot be held is
   * not overtaken: from then on nobody is held where it could have a slot.
   */
  Optional<Assignment> hold(SchedulingKey asked, QueueHead head, Need need) {
    if (!any || need.cpuSlots() == 0 || notHeld.contains(asked)) {
      return Optional.empty();
    }
    Long expectedMs = snapshot.expectedMs(head.job());
    Optional<HostCapacity> capacity =
        expectedMs == null || !LookAheadCapacity.suits(head, need)
            ? Optional.empty()
            : feasible.ahead(asked, head, need, slotsWanted);
    if (capacity.isEmpty()) {
      notHeld.add(asked);
      feasible.able(asked, head, need).forEach(able -> slotsWanted.add(able.id()));
    }
    return capacity.map(host -> host.takeAhead(head, need, expectedMs));
  }
}
