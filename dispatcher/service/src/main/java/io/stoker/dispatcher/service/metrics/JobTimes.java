package io.stoker.dispatcher.service.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.Profile;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Measures how long jobs take: from the arrival of the request that started one to the placement of
 * its first attempt, from each placement to the job's start on its host, and from there to its end.
 * As histograms by queue and kind.
 */
final class JobTimes {
  private static final Duration[] BOUNDS =
      Stream.of("PT0.1S", "PT1S", "PT10S", "PT1M", "PT10M", "PT1H", "PT6H", "P1D", "P7D")
          .map(Duration::parse)
          .toArray(Duration[]::new);

  private final MeterRegistry meters;
  private final JobLabels labels;
  private final Map<Key, Timer> timers = new ConcurrentHashMap<>();

  /** Looking a timer up by its tags in the registry takes longer than all the rest. */
  private record Key(String name, JobLabels.Pair labels) {}

  JobTimes(MeterRegistry meters, JobLabels labels) {
    this.meters = meters;
    this.labels = labels;
  }

  /** An attempt of a job was written down to be published. */
  void placed(JobRow job, AttemptRow attempt) {
    if (attempt.number() == 1) {
      record("stoker.job.waiting", job, attempt.placedAt() - Arrival.ms(job.asked().seq()));
    }
  }

  /** The word came that it runs. */
  void started(JobRow job, AttemptRow attempt) {
    placement(job, attempt.runningSince() - attempt.placedAt());
  }

  /**
   * It is over, in whatever way; what never ran is not counted.
   *
   * @param attempt as it was before
   * @param usage what its agent says that it took, null if it said nothing
   */
  void over(JobRow job, AttemptRow attempt, Usage usage, long now) {
    Long since = attempt.runningSince();
    Long wall = usage == null ? null : usage.wallMs();
    if (wall != null) {
      record("stoker.job.running", job, wall);
      if (since == null) { // its start and its end came together
        placement(job, now - attempt.placedAt() - wall);
      }
    } else if (since != null) {
      record("stoker.job.running", job, now - since);
    }
  }

  private void placement(JobRow job, long ms) {
    record("stoker.job.placement", job, ms);
  }

  private void record(String name, JobRow job, long ms) {
    Optional<String> kind = Optional.ofNullable(job.asked().profile()).flatMap(Profile::kind);
    timers
        .computeIfAbsent(new Key(name, labels.of(job.asked().queue(), kind)), this::timer)
        .record(Math.max(0, ms), TimeUnit.MILLISECONDS);
  }

  private Timer timer(Key key) {
    return Timer.builder(key.name())
        .tags(key.labels().tags())
        .serviceLevelObjectives(BOUNDS)
        .register(meters);
  }
}
