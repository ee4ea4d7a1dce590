package io.stoker.dispatcher.status;

import io.stoker.dispatcher.ledger.Arrival;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.RequestRow;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;
import java.util.Optional;

/**
 * When what happened to a request, as its status shows it. Of what has ended nothing depends on
 * when it is asked.
 *
 * @param runtime seconds from start to end
 */
public record Moments(
    String postedAt, String queuedAt, String startedAt, String endedAt, Double runtime, String at) {
  private static final DateTimeFormatter TO_THE_MILLISECOND =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  /**
   * Those of a request.
   *
   * @param now ms since 1970
   */
  static Moments of(RequestRow request, Optional<JobRow> job, long now) {
    long posted = Arrival.ms(request.seq());
    Long bound = request.queuedAt() == null ? Long.valueOf(posted) : request.queuedAt();
    Long queued = job.isPresent() ? bound : null;
    Long ended = ended(request, job, bound);
    // What it has run for others is not its own, and goes on after it has ended by itself.
    Long started =
        request.ended() != null || request.cached() || job.isEmpty() ? null : job.get().startedAt();
    Double runtime =
        started == null || ended == null ? null : Math.max(0, ended - started) / 1000.0;
    return new Moments(
        text(posted),
        text(queued),
        text(started),
        text(ended),
        runtime,
        text(ended == null ? Long.valueOf(now) : ended));
  }

  private static Long ended(RequestRow request, Optional<JobRow> job, Long bound) {
    if (request.ended() != null) {
      return request.version(); // by its end, see RequestRow
    }
    if (request.cached()) {
      return bound;
    }
    return job.map(JobRow::endedAt).orElse(null);
  }

  /** ISO 8601, always to the millisecond, so that texts are in the order of time; null for none. */
  public static String text(Long ms) {
    return ms == null ? null : TO_THE_MILLISECOND.format(Instant.ofEpochMilli(ms));
  }
}
