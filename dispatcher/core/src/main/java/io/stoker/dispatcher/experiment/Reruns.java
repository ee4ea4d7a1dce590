package io.stoker.dispatcher.experiment;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.request.RetryId;
import java.util.Optional;

/** Makes the request by which a configuration runs once more. */
public final class Reruns {
  private Reruns() {}

  /**
   * The same but for its id. It shares nobody's result, or it would be answered by the very one
   * that it is to confirm; and it is in no group, whose counts and report are those of the search.
   *
   * @param message what the new id is made of, beside the request's
   */
  public static JobRequest of(String request, String spec, String message) throws RequestRefused {
    try {
      ObjectNode again = (ObjectNode) Json.read(spec);
      again.put("id", RetryId.of(request, message));
      again.put("dedup", "always");
      again.remove("group");
      again.withObject("/labels").put("rerun-of", request);
      return RequestParser.parse(again, Optional.empty());
    } catch (MalformedJson e) {
      throw new IllegalStateException("a stored request cannot be read: " + request, e);
    }
  }
}
