package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.model.AttemptRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides how long a preemption reservation lasts: until its job has left the line, and no longer
 * than {@link #SETTLES_WITHIN_MS} after the last victim on its hosts was over. So nothing is held
 * for ever for a job that cannot use it after all.
 */
public final class PreemptionReservationRules {
  /** How long it may take until a host gives what became free: its GPUs are cleaned first. */
  public static final long SETTLES_WITHIN_MS = 30_000;

  private PreemptionReservationRules() {}

  /**
   * What becomes of holds.
   *
   * @param held all that are still held
   * @param changed those of them that are to be written
   * @param released jobs whose holds are over
   */
  public record Outcome(
      List<PreemptionReservation> held,
      List<PreemptionReservation> changed,
      List<String> released) {}

  /**
   * Decides.
   *
   * @param inLine those of their jobs that are in line
   * @param open all open attempts
   */
  public static Outcome apply(
      List<PreemptionReservation> holds, Set<String> inLine, List<AttemptRow> open, long now) {
    Set<String> emptying =
        open.stream()
            .filter(row -> row.preempted() != null)
            .map(AttemptRow::host)
            .collect(Collectors.toSet());
    List<PreemptionReservation> held = new ArrayList<>();
    List<PreemptionReservation> changed = new ArrayList<>();
    List<String> released = new ArrayList<>();
    for (PreemptionReservation hold : holds) {
      boolean free = hold.hosts().stream().noneMatch(emptying::contains);
      boolean own = open.stream().anyMatch(row -> endsFor(hold, row));
      if (!inLine.contains(hold.job())
          || (!own && hold.freeSince() != null && isOver(hold.freeSince(), now))) {
        released.add(hold.job());
      } else if (hold.freeSince() == null ? free : own) {
        // Taken back where who ends for it was not known at first.
        PreemptionReservation seen = hold.freeSince(free ? Long.valueOf(now) : null);
        held.add(seen);
        changed.add(seen);
      } else {
        held.add(hold);
      }
    }
    return new Outcome(List.copyOf(held), List.copyOf(changed), List.copyOf(released));
  }

  /** Since a time far ahead, too: the clock was set back since then, and nobody knows how long. */
  private static boolean isOver(long freeSince, long now) {
    return Math.abs(now - freeSince) > SETTLES_WITHIN_MS;
  }

  private static boolean endsFor(PreemptionReservation hold, AttemptRow row) {
    return Preemption.isFor(row, hold.job()) && hold.hosts().contains(row.host());
  }

  /** Holds as a pass sees them. */
  public static List<Reservation> reservations(
      List<PreemptionReservation> holds, List<AttemptRow> open) {
    Map<String, Map<String, Integer>> toCome =
        open.stream()
            .filter(row -> row.preempted() != null)
            .collect(
                Collectors.groupingBy(
                    row -> row.preempted().forJob(),
                    Collectors.groupingBy(
                        AttemptRow::host, Collectors.summingInt(row -> row.takes().devices()))));
    return holds.stream()
        .map(hold -> hold.reservation(toCome.getOrDefault(hold.job(), Map.of())))
        .toList();
  }
}
