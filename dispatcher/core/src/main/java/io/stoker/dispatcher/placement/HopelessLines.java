package io.stoker.dispatcher.placement;

import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.UnschedulableReason.Reason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Lines in which pass after pass finds jobs that no host can ever serve, of queues that do not let
 * them wait for ever: since when. It is counted by line, since a pass looks at the first of a line
 * alone: who comes to be among them need not wait as long again.
 */
record HopelessLines(Map<Line, Finding> found) {
  static final HopelessLines NONE = new HopelessLines(Map.of());

  /**
   * What is found of a line.
   *
   * @param since ms since 1970
   * @param last when a pass found it last, ms since 1970
   */
  record Finding(long since, long last) {}

  /** For how long the job stands in a line of which it is found, ms. */
  long standsFor(QueueHead head, long now) {
    Finding finding = found.get(Line.of(head));
    return finding == null ? 0 : now - Math.max(head.arrivedAt(), finding.since());
  }

  /** The same after a pass. See {@link UnsatisfiableJobs#after}. */
  HopelessLines after(Snapshot snapshot, Decision decision, boolean whole) {
    List<QueueHead> heads =
        snapshot.heads().stream()
            .filter(
                head -> snapshot.standing(head.queue()).settings().failUnsatisfiable().isPresent())
            .toList();
    boolean none = found.isEmpty() && heads.stream().noneMatch(head -> isNever(decision, head));
    if (none || snapshot.hosts().isEmpty()) {
      return NONE;
    }
    long now = snapshot.now();
    Map<Line, Finding> next = whole ? new HashMap<>() : notForgotten(now);
    heads.stream()
        .collect(Collectors.groupingBy(Line::of))
        .forEach(
            (line, some) -> {
              Finding before = found.get(line);
              if (some.stream().anyMatch(head -> isNever(decision, head))) {
                next.put(line, new Finding(before == null ? now : before.since(), now));
              } else if (before == null || some.stream().anyMatch(head -> serves(decision, head))) {
                next.remove(line);
              } else {
                next.put(line, before);
              }
            });
    return new HopelessLines(next);
  }

  private Map<Line, Finding> notForgotten(long now) {
    Map<Line, Finding> left = new HashMap<>(found);
    left.values().removeIf(one -> now - one.last() >= UnsatisfiableJobs.FORGOTTEN_AFTER_MS);
    return left;
  }

  private static boolean isNever(Decision decision, QueueHead head) {
    UnschedulableReason left = decision.unplaced().get(head.job());
    return left != null && left.reason() == Reason.UNSATISFIABLE;
  }

  private static boolean serves(Decision decision, QueueHead head) {
    UnschedulableReason left = decision.unplaced().get(head.job());
    return left == null || UnsatisfiableJobs.disproves(left);
  }
}
