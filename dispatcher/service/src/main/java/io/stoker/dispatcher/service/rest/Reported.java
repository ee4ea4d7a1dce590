package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.report.Times;
import io.stoker.dispatcher.service.postgres.GroupReport.Entry;
import io.stoker.dispatcher.status.Moments;

/**
 * A request of a report.
 *
 * @param time from its arrival to its job's end, {@code HH:MM:SS.mmm}
 */
public record Reported(
    String id,
    RequestState state,
    Code code,
    String reason,
    Double score,
    JsonNode result,
    String host,
    Integer attempt,
    Integer exitCode,
    boolean shared,
    boolean cached,
    String arrivedAt,
    String endedAt,
    String time) {
  static Reported of(Entry entry) {
    var status = entry.status();
    // A result from before its arrival took it no time.
    Long end =
        entry.endedAt() == null || !status.state().terminal()
            ? null
            : Long.valueOf(Math.max(entry.endedAt(), entry.arrivedAt()));
    return new Reported(
        status.id(),
        status.state(),
        status.code(),
        status.reason(),
        status.score(),
        status.result(),
        status.host(),
        status.attempt(),
        status.exitCode(),
        status.shared(),
        status.cached(),
        Moments.text(entry.arrivedAt()),
        Moments.text(end),
        end == null ? null : Times.clock(end - entry.arrivedAt()));
  }
}
