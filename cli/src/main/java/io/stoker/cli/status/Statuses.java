package io.stoker.cli.status;

import io.stoker.common.message.RequestStatus;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The newest known status of each request, whatever order statuses arrive in and however often. A
 * refusal (version 0) is kept only for an id that nothing was accepted under.
 */
public final class Statuses {
  private final Map<String, RequestStatus> newest = new LinkedHashMap<>();

  /** Takes a status in. Returns whether it was news. */
  public boolean apply(RequestStatus status) {
    RequestStatus before = newest.get(status.id());
    if (before != null && before.version() >= status.version()) {
      return false;
    }
    newest.put(status.id(), status);
    return true;
  }

  public Optional<RequestStatus> of(String id) {
    return Optional.ofNullable(newest.get(id));
  }
}
