package io.stoker.dispatcher.memory;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.message.AttemptEvent;
import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Durations;
import io.stoker.common.state.RequestState;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The most likely end of a running job, and the measurements that this is founded on.
 *
 * @param at ISO 8601; null if it has run longer than all that it is compared with
 * @param sentence what that is founded on, for people
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ExpectedEnd(String at, String sentence) {
  /** Nobody asks until when a job runs that has not run for so long. */
  private static final long LEAST_MS = Duration.ofSeconds(10).toMillis();

  /** A share of a job of which too little is done to tell when all of it is. */
  private static final double LEAST_DONE = 0.001;

  /** Under what it is remembered how long jobs of a profile have run. */
  public static String key(String profile) {
    return "time like " + profile;
  }

  /** How long jobs like this one run, as far as its end tells: ms. */
  public static OptionalLong learned(AttemptEvent ended) {
    Long ran = ended.usage() == null ? null : ended.usage().wallMs();
    return ended.outcome() == Outcome.SUCCEEDED && ran != null && ran >= LEAST_MS
        ? OptionalLong.of(ran)
        : OptionalLong.empty();
  }

  /**
   * What follows from a job's own progress, if that is a share of 0 to 1, and else from how long
   * others like it ran: half of those that took longer than it has taken so far were done by then.
   *
   * @param like how long those ran, ms
   */
  public static Optional<ExpectedEnd> of(RequestStatus status, Peaks like) {
    if (status.state() != RequestState.RUNNING || status.startedAt() == null) {
      return Optional.empty();
    }
    long started = Instant.parse(status.startedAt()).toEpochMilli();
    long ran = Instant.parse(status.at()).toEpochMilli() - started;
    return ofProgress(status.progress(), started, ran)
        .or(() -> like.newest().isEmpty() ? Optional.empty() : ofOthers(like, started, ran));
  }

  private static Optional<ExpectedEnd> ofProgress(JsonNode progress, long started, long ran) {
    if (progress == null || !progress.isNumber()) {
      return Optional.empty();
    }
    double done = progress.doubleValue();
    return done < LEAST_DONE || done >= 1 || ran < 0
        ? Optional.empty()
        : Optional.of(
            new ExpectedEnd(
                text(started + (long) (ran / done)), "if it goes on as fast as so far"));
  }

  private static Optional<ExpectedEnd> ofOthers(Peaks like, long started, long ran) {
    List<Long> longer = like.newest().stream().filter(ms -> ms > ran).sorted().toList();
    int all = like.newest().size();
    if (longer.isEmpty()) {
      return Optional.of(
          new ExpectedEnd(
              null, "it has run longer than each of the last %d job(s) like it".formatted(all)));
    }
    long half = longer.get((longer.size() - 1) / 2);
    String most = Durations.text(Duration.ofMillis(half));
    String sentence =
        longer.size() == all
            ? "half of the last %d job(s) like it took %s at most".formatted(all, most)
            : "%d of the last %d job(s) like it ran longer than it so far, half of those %s at most"
                .formatted(longer.size(), all, most);
    return Optional.of(new ExpectedEnd(text(started + half), sentence));
  }

  private static String text(long ms) {
    return Instant.ofEpochMilli(ms).truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
