package io.stoker.cli.status;

import io.stoker.cli.kafka.LostConnection;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.message.RequestStatus;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Waits until all that is awaited has ended, or the time is up.
 *
 * @param ended is told of each end
 * @param step is done whenever something came, and twice a second
 */
public record Waiting(StatusTail tail, Awaited awaited, Consumer<RequestStatus> ended, Step step) {
  private static final Duration LONGEST_POLL = Duration.ofMillis(500);
  private static final int FEW = 10;

  /** What is done beside the waiting. */
  public interface Step {
    /**
     * @param moved whether statuses came, of whomever
     */
    void after(boolean moved);
  }

  /** Takes in what is known from elsewhere. */
  public void know(RequestStatus status) {
    awaited.apply(status).ifPresent(ended);
  }

  /**
   * @param limit empty = as long as it takes
   * @return whether all has ended
   * @throws CliException with exit code 3 if Kafka cannot be reached any more, and how to go on
   */
  public boolean await(Optional<Duration> limit) {
    try {
      return awaitEnds(limit);
    } catch (LostConnection e) {
      throw e.with("; %s; stoker wait %s awaits the rest".formatted(awaited.summary(), rest()));
    }
  }

  private String rest() {
    String some = awaited.open().stream().sorted().limit(FEW).collect(Collectors.joining(" "));
    return awaited.open().size() > FEW ? some + " ..." : some;
  }

  private boolean awaitEnds(Optional<Duration> limit) {
    long start = System.nanoTime();
    while (!awaited.isOver()) {
      Duration left =
          limit.map(time -> time.minusNanos(System.nanoTime() - start)).orElse(LONGEST_POLL);
      if (left.isNegative() || left.isZero()) {
        return false;
      }
      List<RequestStatus> came = tail.poll(left.compareTo(LONGEST_POLL) < 0 ? left : LONGEST_POLL);
      came.forEach(this::know);
      if (!awaited.isOver()) {
        step.after(!came.isEmpty());
      }
    }
    return true;
  }
}
