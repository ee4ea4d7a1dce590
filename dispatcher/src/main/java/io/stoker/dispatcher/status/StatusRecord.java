package io.stoker.dispatcher.status;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;

/**
 * A status and its JSON, written once for all who pass it on.
 *
 * @param json nobody changes it
 */
public record StatusRecord(RequestStatus status, byte[] json) {
  public static StatusRecord of(RequestStatus status) {
    return new StatusRecord(status, Json.bytes(status));
  }
}
