package io.stoker.dispatcher.status;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import java.util.List;

/**
 * A status and its JSON, written once for all who pass it on.
 *
 * @param json nobody changes it
 */
public record StatusRecord(RequestStatus status, byte[] json) {
  private static final int LONGEST_REASON = 1_000;

  public static StatusRecord of(RequestStatus status) {
    return new StatusRecord(status, Json.bytes(status));
  }

  /** The same without what may be large. */
  StatusRecord bare(String why) {
    String reason = status.reason() == null ? why : cut(status.reason()) + "; " + why;
    return of(
        new RequestStatus(
            status.id(),
            status.state(),
            status.version(),
            status.job(),
            status.fingerprint(),
            status.attempt(),
            status.host(),
            List.of(),
            null,
            status.code(),
            reason,
            null,
            null,
            status.score(),
            null,
            status.exitCode(),
            null,
            status.shared(),
            status.cached(),
            status.stopRequested(),
            status.queue(),
            status.group(),
            status.at()));
  }

  private static String cut(String text) {
    int points = Math.min(text.codePointCount(0, text.length()), LONGEST_REASON);
    return text.substring(0, text.offsetByCodePoints(0, points));
  }
}
