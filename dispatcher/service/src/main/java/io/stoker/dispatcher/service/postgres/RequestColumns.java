package io.stoker.dispatcher.service.postgres;

import io.stoker.common.state.Code;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.service.postgres.RequestListing.Place;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The columns that lists show of a request, as its status shows them: expressions of request {@code
 * w} and its job {@code j}. Times are ms since 1970, null for what has not been.
 */
final class RequestColumns {
  /** Characters of a command that are shown. */
  private static final int SHOWN = 200;

  static final String STATE =
      """
      case when w.ended is not null then w.ended when j.id is null then 'WAITING'
        when j.state = 'PLACED' and j.host is null then 'QUEUED' else j.state end""";

  /** One that its host holds behind others has not begun. */
  static final String ATTEMPTS =
      "j.attempt - case when j.state = 'PLACED' and j.host is null then 1 else 0 end";

  static final String USER = "cast(w.spec as json) ->> 'user'";

  /** What a request's kind is called that names none. */
  static final String NO_KIND = "command";

  static final String KIND = "coalesce(cast(w.spec as json) ->> 'kind', '" + NO_KIND + "')";

  private static final int DIGITS = 19;

  /** Its place as one text, which is larger the newer it is. */
  static final String PLACE = "lpad(cast(w.seq as text), %d, '0') || w.id".formatted(DIGITS);

  /** The place that {@link #PLACE} is; nothing of null. */
  static Optional<Place> place(String text) {
    return text == null
        ? Optional.empty()
        : Optional.of(new Place(Long.parseLong(text.substring(0, DIGITS)), text.substring(DIGITS)));
  }

  /** States of jobs that have ended. */
  static final String OVER = "('SUCCEEDED', 'FAILED', 'CANCELLED')";

  /** As {@link io.stoker.dispatcher.status.StatusView} shows it. */
  static final String CODE =
      """
      case when w.ended is not null or j.id is null then w.code
        when j.state in %1$s and w.attached and not w.cached and not w.stop_requested
          and j.code is not null then '%2$s'
        when j.state in %1$s or j.state = 'QUEUED' or j.code in (%3$s) then j.code end"""
          .formatted(
              OVER,
              Code.SHARED_FAILURE,
              Arrays.stream(Code.values())
                  .filter(Code::warns)
                  .map("'%s'"::formatted)
                  .collect(Collectors.joining(", ")));

  static final String PRIORITY =
      "coalesce(j.priority, cast(cast(coalesce(w.resolved, w.spec) as json) ->> 'priority' as"
          + " integer), 0)";

  /** Program and arguments in one line; of a kind that has none, its name. */
  static final String COMMAND =
      """
      left(case when jsonb_typeof(cast(coalesce(w.resolved, w.spec) as jsonb) -> 'command') = 'array'
        then (select string_agg(word, ' ' order by n) from jsonb_array_elements_text(
          cast(coalesce(w.resolved, w.spec) as jsonb) -> 'command') with ordinality as c(word, n))
        else coalesce(cast(w.spec as jsonb) ->> 'kind', '') end, %d)"""
          .formatted(SHOWN);

  /** What it has run for others is not its own. */
  static final String STARTED = "case when w.ended is null and not w.cached then j.started_at end";

  /** One that ended by itself has its end as its version. */
  static final String ENDED =
      "case when w.ended is not null then w.version when w.cached then coalesce(w.queued_at, w.seq / "
          + Arrival.PER_MS
          + ") else j.ended_at end";

  /** Ms that its last attempt ran, or has run so far. */
  static final String DURATION =
      "case when w.ended is null and not w.cached and (j.ended_at is not null or j.state ="
          + " 'RUNNING') then coalesce(j.ended_at, "
          + Queries.CLOCK
          + ") - j.started_at end";

  private RequestColumns() {}
}
