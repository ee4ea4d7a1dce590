package io.stoker.dispatcher.placement;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Says in the log what passes did: one line a while, however many there were, and none where
 * nothing was done. Passes are numbered from the start of this replica.
 */
public final class PassLog {
  /** Ms from one line to the next. */
  static final long APART_MS = 10_000;

  private long passes;
  private long told;
  private long placed;
  private long preempting;
  private long nextAt;
  private Map<UnschedulableReason.Reason, Long> leftTold = Map.of();

  /**
   * Counts a pass.
   *
   * @param jobs that it placed
   * @param preempts whether it ends some for the sake of others
   * @param now ms since 1970
   * @return the line that is due, if one is
   */
  public Optional<String> passed(
      int jobs, boolean preempts, Map<String, UnschedulableReason> unplaced, long now) {
    passes++;
    placed += jobs;
    preempting += preempts ? 1 : 0;
    if (now < nextAt) {
      return Optional.empty();
    }
    Map<UnschedulableReason.Reason, Long> left =
        unplaced.values().stream()
            .collect(
                Collectors.groupingBy(
                    UnschedulableReason::reason, TreeMap::new, Collectors.counting()));
    if (placed == 0 && preempting == 0 && left.equals(leftTold)) {
      return Optional.empty();
    }
    String line =
        "passes %d to %d: %d placed%s; of the first in line %d left%s"
            .formatted(
                told + 1,
                passes,
                placed,
                preempting == 0 ? "" : ", %d made room by preemption".formatted(preempting),
                unplaced.size(),
                left.isEmpty() ? "" : " " + left);
    told = passes;
    placed = 0;
    preempting = 0;
    leftTold = left;
    nextAt = now + APART_MS;
    return Optional.of(line);
  }
}
