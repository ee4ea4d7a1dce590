package io.stoker.dispatcher.status;

import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;
import java.util.Optional;

/**
 * The times of a request's history, as its status shows them. Of what has ended nothing depends on
 * when it is asked.
 *
 * @param runtime seconds from start to end
 */
public record Moments(
    String postedAt, String queuedAt, String startedAt, String endedAt, Double runtime, String at) {
  private static final DateTimeFormatter TO_THE_MILLISECOND =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  /** A status has up to five of these, and the formatter takes longer than all its other fields. */
  private static final byte[] FORM =
      "0000-00-00T00:00:00.000Z".getBytes(StandardCharsets.ISO_8859_1);

  private static final long MS_OF_A_DAY = 86_400_000;
  private static final long YEAR_10000 = LocalDate.of(10_000, 1, 1).toEpochDay() * MS_OF_A_DAY;

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
        request.ended() != null || request.cached() || job.isEmpty()
            ? null
            : job.get().latest().startedAt();
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
    if (ms == null) {
      return null;
    }
    if (ms < 0 || ms >= YEAR_10000) {
      return TO_THE_MILLISECOND.format(Instant.ofEpochMilli(ms));
    }
    LocalDate day = LocalDate.ofEpochDay(ms / MS_OF_A_DAY);
    int ofDay = (int) (ms % MS_OF_A_DAY);
    byte[] text = FORM.clone();
    digits(text, 0, 4, day.getYear());
    digits(text, 5, 2, day.getMonthValue());
    digits(text, 8, 2, day.getDayOfMonth());
    digits(text, 11, 2, ofDay / 3_600_000);
    digits(text, 14, 2, ofDay / 60_000 % 60);
    digits(text, 17, 2, ofDay / 1000 % 60);
    digits(text, 20, 3, ofDay % 1000);
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  private static void digits(byte[] text, int from, int count, int value) {
    int rest = value;
    for (int i = from + count - 1; i >= from; i--) {
      text[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
  }
}
