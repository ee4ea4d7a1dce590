package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.CycleCheck;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import io.stoker.common.size.Limits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads what was posted: one request, an array of them, or one a line. All must be valid. */
final class PostedBody {
  /** A request as the data of a structured CloudEvent. */
  static final String CLOUD_EVENT = "application/cloudevents+json";

  /** A request a line. */
  static final String NDJSON = "application/x-ndjson";

  /** The same under another name. */
  static final String JSON_LINES = "application/jsonl";

  private static final Set<String> LINES = Set.of(NDJSON, JSON_LINES);

  private PostedBody() {}

  /** Whether a body of this type holds a request a line. */
  static boolean isLines(String type) {
    return type != null && LINES.contains(CallRules.name(type));
  }

  /**
   * The requests.
   *
   * @param lines whether the body holds one a line
   * @param eventId id of the CloudEvent that the body is, for a request without an id
   * @throws ApiException 400, names the first that is wrong
   */
  static List<JobRequest> read(byte[] body, boolean lines, Optional<String> eventId) {
    List<JobRequest> requests = parse(Bodies.checked(body), lines, eventId);
    requests.forEach(PostedBody::checkSize);
    CycleCheck.among(requests)
        .ifPresent(
            cycle -> {
              throw ApiException.badRequest(
                  "dependsOn",
                  String.join(" -> ", cycle),
                  "requests that do not wait for each other");
            });
    return requests;
  }

  /** Of several in a body one may be large, and numbers may be longer than they came. */
  private static void checkSize(JobRequest request) {
    int bytes = request.spec().getBytes(StandardCharsets.UTF_8).length;
    if (bytes > Limits.REQUEST) {
      throw ApiException.badRequest(
          "request", "%s has %d bytes".formatted(request.id(), bytes), "at most " + Limits.REQUEST);
    }
  }

  private static List<JobRequest> parse(byte[] body, boolean lines, Optional<String> eventId) {
    try {
      if (lines) {
        return lines(body);
      }
      return startsArray(body) ? array(body) : List.of(RequestParser.parse(body, eventId));
    } catch (RequestRefused e) {
      throw ApiException.refused(e);
    }
  }

  private static boolean startsArray(byte[] body) {
    for (byte b : body) {
      if (b == '[') {
        return true;
      }
      if (b != ' ' && b != '\t' && b != '\r' && b != '\n') {
        return false;
      }
    }
    return false;
  }

  private static List<JobRequest> array(byte[] body) throws RequestRefused {
    JsonNode tree;
    try {
      tree = Json.read(body);
    } catch (MalformedJson e) {
      throw ApiException.badRequest("request", e.getMessage(), "a JSON array of requests");
    }
    List<JobRequest> requests = new ArrayList<>();
    for (JsonNode entry : tree) {
      requests.add(RequestParser.parse(entry, Optional.empty()));
    }
    return notEmpty(requests);
  }

  private static List<JobRequest> lines(byte[] body) throws RequestRefused {
    List<JobRequest> requests = new ArrayList<>();
    int start = 0;
    for (int end = 0; end <= body.length; end++) {
      if (end == body.length || body[end] == '\n') {
        byte[] line = java.util.Arrays.copyOfRange(body, start, end);
        if (!new String(line, StandardCharsets.ISO_8859_1).isBlank()) {
          requests.add(RequestParser.parse(line, Optional.empty()));
        }
        start = end + 1;
      }
    }
    return notEmpty(requests);
  }

  private static List<JobRequest> notEmpty(List<JobRequest> requests) {
    if (requests.isEmpty()) {
      throw ApiException.badRequest("request", "nothing", "at least one request");
    }
    return requests;
  }
}
