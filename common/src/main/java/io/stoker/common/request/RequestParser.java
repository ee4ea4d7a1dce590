package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.JsonRules.Violation;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.size.Limits;
import java.util.List;
import java.util.Optional;

/** Turns a record into a valid request, or says which field is wrong, what it held and why. */
public final class RequestParser {
  /** Largest record that is read. */
  public static final int MAX_BYTES = Limits.REQUEST;

  private RequestParser() {}

  /**
   * Parses a record's value.
   *
   * @param eventId the id that the transport carries ({@code ce_id}); used where the body has none
   */
  public static JobRequest parse(byte[] value, Optional<String> eventId) throws RequestRefused {
    return parse(value, eventId, Optional.empty());
  }

  /**
   * As {@link #parse(byte[], Optional)}.
   *
   * @param queue the queue that the transport names: it wins over the body's
   */
  public static JobRequest parse(byte[] value, Optional<String> eventId, Optional<String> queue)
      throws RequestRefused {
    Optional<String> fallback = valid(eventId);
    if (value == null || value.length == 0) {
      throw new RequestRefused(fallback.orElse(null), "request", "nothing", "a JSON object");
    }
    if (value.length > MAX_BYTES) {
      throw tooLarge(value, eventId);
    }
    try {
      return parse(Json.read(value), eventId, queue);
    } catch (MalformedJson e) {
      throw new RequestRefused(fallback.orElse(null), "request", e.getMessage(), "a JSON object");
    }
  }

  /** Parses a request's tree, or that of a structured CloudEvent around it. */
  public static JobRequest parse(JsonNode tree, Optional<String> eventId) throws RequestRefused {
    return parse(tree, eventId, Optional.empty());
  }

  private static JobRequest parse(JsonNode tree, Optional<String> eventId, Optional<String> queue)
      throws RequestRefused {
    if (tree.has("specversion") && tree.has("data")) {
      Optional<String> envelopeId = Optional.ofNullable(tree.path("id").textValue());
      return bare(tree.get("data"), envelopeId.or(() -> eventId), queue);
    }
    return bare(tree, eventId, queue);
  }

  private static JobRequest bare(JsonNode tree, Optional<String> eventId, Optional<String> queue)
      throws RequestRefused {
    String id = id(tree, eventId);
    Optional<Violation> violation = JsonRules.check(tree, "");
    if (violation.isPresent()) {
      Violation broken = violation.get();
      throw new RequestRefused(id, broken.path(), broken.value(), broken.expected());
    }
    if (queue.isPresent()) {
      ObjectNode moved = tree.deepCopy();
      return posted(id, moved.put("queue", queue.get()));
    }
    return posted(id, tree);
  }

  /**
   * A request whose kind has been filled in.
   *
   * @param tree the request with everything that its kind brings, the command included
   * @param posted the {@link JobRequest#spec} of the request as its producer wrote it
   */
  public static JobRequest resolved(JsonNode tree, String id, String posted) throws RequestRefused {
    Optional<Violation> violation = JsonRules.check(tree, "");
    if (violation.isPresent()) {
      Violation broken = violation.get();
      throw new RequestRefused(id, broken.path(), broken.value(), broken.expected());
    }
    return RequestFields.resolved(id, tree, posted, spec(id, tree));
  }

  private static JobRequest posted(String id, JsonNode tree) throws RequestRefused {
    return RequestFields.posted(id, tree, spec(id, tree));
  }

  private static String id(JsonNode tree, Optional<String> eventId) throws RequestRefused {
    if (!tree.isObject()) {
      String fallback = valid(eventId).orElse(null);
      throw new RequestRefused(fallback, "request", tree.toString(), "a JSON object");
    }
    JsonNode own = tree.path("id");
    if (!own.isMissingNode() && !own.isNull() && !own.isTextual()) {
      throw new RequestRefused(null, "id", own.toString(), RequestId.EXPECTED);
    }
    Optional<String> id = Optional.ofNullable(own.textValue()).or(() -> eventId);
    if (id.isEmpty()) {
      throw new RequestRefused(null, "id", "missing", RequestId.EXPECTED);
    }
    return valid(id)
        .orElseThrow(() -> new RequestRefused(null, "id", id.get(), RequestId.EXPECTED));
  }

  static RequestRefused tooLarge(byte[] value, Optional<String> eventId) {
    String size = value.length + " bytes";
    return new RequestRefused(
        valid(eventId).orElse(null), "request", size, "at most " + MAX_BYTES + " bytes");
  }

  private static Optional<String> valid(Optional<String> id) {
    return id.filter(RequestId::isValid);
  }

  private static String spec(String id, JsonNode tree) {
    ObjectNode stored = withoutNulls(tree);
    stored.put("id", id);
    for (String own : List.of("resources", "retry")) {
      if (stored.get(own) instanceof ObjectNode object) {
        stored.set(own, withoutNulls(object));
      }
    }
    return CanonicalJson.text(stored);
  }

  /**
   * A copy whose values are those of the object itself. Nulls mean absent in Stoker's own fields,
   * and there alone: never inside {@code params}.
   */
  private static ObjectNode withoutNulls(JsonNode object) {
    ObjectNode copy = JsonNodeFactory.instance.objectNode();
    object
        .properties()
        .forEach(
            field -> {
              if (!field.getValue().isNull()) {
                copy.set(field.getKey(), field.getValue());
              }
            });
    return copy;
  }
}
