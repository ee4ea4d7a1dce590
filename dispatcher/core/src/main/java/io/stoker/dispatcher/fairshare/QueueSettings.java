package io.stoker.dispatcher.fairshare;

import io.stoker.common.request.JobRequest;
import io.stoker.dispatcher.model.ReadyRow;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/**
 * A queue as it is configured.
 *
 * @param weight its share in proportion to the others', more than 0
 * @param maxRunning jobs of it that may be placed or running at once, at least 1
 * @param maxQueued jobs of it that may stand in line, at least 1; no more are let in
 * @param open whether the plain requests topic reaches it, and not its own alone
 * @param failUnsatisfiable how long a job that no host can ever serve stands in line before it
 *     fails; it waits for ever if absent
 * @param isolated whether its requests share runs and results among themselves alone
 * @param aging how much waiting makes up for a step of priority: so nobody is overtaken for ever
 */
public record QueueSettings(
    String name,
    double weight,
    OptionalInt maxRunning,
    OptionalInt maxQueued,
    boolean open,
    Optional<Duration> failUnsatisfiable,
    boolean isolated,
    Duration aging) {
  /** Unless a queue is configured otherwise. */
  public static final Duration AGING = Duration.ofMillis(ReadyRow.AGING_MS);

  private static final Duration LONGEST_AGING = Duration.ofDays(365);

  /** What a name looks like: it may be part of a topic's name. */
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,128}");

  public QueueSettings {
    require(NAME.matcher(name).matches(), name, "is no name", "1 to 128 of A-Z a-z 0-9 . _ -");
    require(weight > 0 && Double.isFinite(weight), name, "has the weight " + weight, "more than 0");
    require(maxRunning.orElse(1) > 0, name, "has max-running " + maxRunning.orElse(0), "1 or more");
    require(maxQueued.orElse(1) > 0, name, "has max-queued " + maxQueued.orElse(0), "1 or more");
    boolean ages = aging.toMillis() > 0 && aging.compareTo(LONGEST_AGING) <= 0;
    require(ages, name, "has aging " + aging, "1 ms to 365 days");
  }

  /** A queue in which what no host can ever serve waits, and waiting counts as usual. */
  public QueueSettings(
      String name, double weight, OptionalInt maxRunning, OptionalInt maxQueued, boolean open) {
    this(name, weight, maxRunning, maxQueued, open, Optional.empty(), false, AGING);
  }

  private static void require(boolean holds, String name, String what, String expected) {
    if (!holds) {
      throw new IllegalArgumentException(
          "stoker.queues: the queue %s %s, expected %s".formatted(name, what, expected));
    }
  }

  /** A queue of which nothing is configured: {@code default}, and what jobs stored before name. */
  public static QueueSettings plain(String name) {
    boolean open = name.equals(JobRequest.DEFAULT_QUEUE);
    return new QueueSettings(name, 1, OptionalInt.empty(), OptionalInt.empty(), open);
  }
}
