package io.stoker.dispatcher.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.request.RetryId;
import io.stoker.common.state.RequestState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Makes the requests by which one that has failed, or was cancelled, is tried again. Ends are
 * final, so a retry is a request of its own, equal to the one that ended; a dependency that was to
 * succeed and ended otherwise is retried with it, and takes the dependency's place. All that is
 * looked at has ended and does not change any more.
 */
public final class Retrying {
  private static final String RETRY_OF = "retry-of";

  private final String message;
  private final Map<String, Ended> known;
  private final Map<String, JobRequest> retries = new LinkedHashMap<>();

  private Retrying(String message, Map<String, Ended> known) {
    this.message = message;
    this.known = known;
  }

  /**
   * A request as it was posted, and where it stands.
   *
   * @param spec canonical JSON
   * @param sentBy who posted it; null if that is not known
   */
  public record Ended(RequestState state, String spec, String sentBy) {
    public boolean toBeRetried() {
      return state.terminal() && state != RequestState.SUCCEEDED;
    }
  }

  /** What a request depends on that was to succeed. */
  public static List<String> dependencies(Ended one) {
    return tree(one).path("dependsOn").valueStream().flatMap(Retrying::toSucceed).toList();
  }

  /** The id, if the entry of {@code dependsOn} says no other condition. */
  private static Stream<String> toSucceed(JsonNode entry) {
    if (entry.isTextual()) {
      return Stream.of(entry.textValue());
    }
    String condition = entry.path("condition").asText(Dependency.Condition.SUCCEEDED.key());
    return condition.equals(Dependency.Condition.SUCCEEDED.key())
        ? Stream.of(entry.path("id").textValue())
        : Stream.empty();
  }

  /** Whose retries are, by id: those of the requests that they retry. */
  public static Map<String, String> senders(List<JobRequest> retries, Map<String, Ended> known) {
    Map<String, String> senders = new HashMap<>();
    for (JobRequest retry : retries) {
      senders.put(retry.id(), known.get(retry.labels().get(RETRY_OF)).sentBy());
    }
    return senders;
  }

  /** The id that a retry gets. */
  public static String newId(String request, String message, String as) {
    return as == null ? RetryId.of(request, message) : as;
  }

  /**
   * The requests to post, dependencies first.
   *
   * @param as the new id of the request itself
   * @param known the request, and all that it may be retried with
   */
  public static List<JobRequest> plan(
      String request, String message, String as, Map<String, Ended> known) throws RequestRefused {
    Retrying retrying = new Retrying(message, known);
    retrying.retry(request, as);
    return new ArrayList<>(retrying.retries.values());
  }

  /** There are no cycles among accepted requests. */
  private void retry(String request, String as) throws RequestRefused {
    ObjectNode again = tree(known.get(request));
    again.put("id", as);
    again.withObject("/labels").put(RETRY_OF, request);
    if (again.get("dependsOn") instanceof ArrayNode dependencies) {
      for (int i = 0; i < dependencies.size(); i++) {
        String dependency = toSucceed(dependencies.get(i)).findFirst().orElse(null);
        Ended found = known.get(dependency);
        if (found != null && found.toBeRetried()) {
          String next = RetryId.of(dependency, message);
          if (!retries.containsKey(dependency)) {
            retry(dependency, next);
          }
          dependencies.set(i, dependencies.textNode(next));
        }
      }
    }
    retries.put(request, RequestParser.parse(again, Optional.empty()));
  }

  private static ObjectNode tree(Ended one) {
    try {
      return (ObjectNode) Json.read(one.spec());
    } catch (MalformedJson e) {
      throw new IllegalStateException("a stored request cannot be read: " + one.spec(), e);
    }
  }
}
