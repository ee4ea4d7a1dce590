package io.stoker.dispatcher.kinds;

import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import java.util.Map;
import java.util.TreeMap;

/**
 * The kinds that are configured.
 *
 * @param generation rises with each change; 0 while there has been none
 */
public record Kinds(long generation, Map<String, Kind> byName) {
  public static final Kinds NONE = new Kinds(0, Map.of());

  public Kinds {
    byName = Map.copyOf(byName);
  }

  /**
   * The request with its kind filled in.
   *
   * @throws RequestRefused if there is no such kind, or the kind refuses it
   */
  public JobRequest fill(JobRequest posted) throws RequestRefused {
    if (!posted.needsKind()) {
      return posted;
    }
    Kind kind = byName.get(posted.kind());
    if (kind == null) {
      throw new RequestRefused(posted.id(), "kind", posted.kind(), "one of " + names());
    }
    return kind.fill(posted);
  }

  private String names() {
    String configured = String.join(", ", new TreeMap<>(byName).keySet());
    return JobRequest.COMMAND
        + (configured.isEmpty() ? " (no kinds are configured)" : ", " + configured);
  }
}
