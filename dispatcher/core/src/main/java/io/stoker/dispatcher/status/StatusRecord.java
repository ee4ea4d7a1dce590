package io.stoker.dispatcher.status;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Limits;

/**
 * A status and its JSON, written once for all who pass it on. It fits into a record, whatever an
 * agent or a person has said: else it could never be published whole.
 *
 * @param json nobody changes it
 */
public record StatusRecord(RequestStatus status, byte[] json) {
  private static final int LONGEST_REASON = Limits.SENTENCE_CHARACTERS;

  /** What a status without result, progress and sentence takes, about. */
  private static final int PLAIN = 1024;

  public static StatusRecord of(RequestStatus status) {
    byte[] json = Json.bytes(status);
    return json.length <= Limits.RECORD_VALUE ? new StatusRecord(status, json) : fitting(status);
  }

  /** With a shorter sentence; what it holds of the job's own is left out last. */
  private static StatusRecord fitting(RequestStatus status) {
    String reason = status.reason() == null ? null : cut(status.reason());
    RequestStatus shorter = status.withReason(reason);
    StatusRecord record = new StatusRecord(shorter, Json.bytes(shorter));
    return record.json().length <= Limits.RECORD_VALUE
        ? record
        : record.bare("its status is too large to be sent whole");
  }

  /** How large the JSON of a status is, about, before it is written. */
  public static long estimate(RequestStatus status) {
    int reason = status.reason() == null ? 0 : status.reason().length();
    return PLAIN
        + (long) reason
        + Json.rawLength(status.result())
        + Json.rawLength(status.progress());
  }

  /** The same without what may be large. */
  public StatusRecord bare(String why) {
    String reason = status.reason() == null ? why : cut(status.reason()) + "; " + why;
    return of(status.bare(reason));
  }

  private static String cut(String text) {
    int points = Math.min(text.codePointCount(0, text.length()), LONGEST_REASON);
    return text.substring(0, text.offsetByCodePoints(0, points));
  }
}
