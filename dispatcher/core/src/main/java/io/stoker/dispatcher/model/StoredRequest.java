package io.stoker.dispatcher.model;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads requests back from their rows. */
public final class StoredRequest {
  private StoredRequest() {}

  /** The row of the same request with another priority. */
  public static RequestRow withPriority(RequestRow row, int priority) {
    try {
      ObjectNode changed = (ObjectNode) Json.read(row.inForce());
      return row.inForce(CanonicalJson.text(changed.put("priority", priority)));
    } catch (MalformedJson e) {
      throw new IllegalStateException("a stored request cannot be read: " + row.id(), e);
    }
  }

  /** The request as it is in force; nothing if what is stored is no valid request any more. */
  public static Optional<JobRequest> readable(RequestRow row) {
    try {
      return Optional.of(parse(row));
    } catch (IllegalStateException unreadable) {
      return Optional.empty();
    }
  }

  /** The jobs of these requests of which none can be read, each with why one cannot. */
  public static Map<String, RuntimeException> unreadable(Collection<RequestRow> rows) {
    Map<String, RuntimeException> unreadable = new LinkedHashMap<>();
    Set<String> readable = new HashSet<>();
    for (RequestRow row : rows) {
      if (row.job() == null) {
        continue;
      }
      try {
        parse(row);
        readable.add(row.job());
      } catch (IllegalStateException e) {
        unreadable.putIfAbsent(row.job(), e);
      }
    }
    unreadable.keySet().removeAll(readable);
    return unreadable;
  }

  /**
   * The request as it is in force.
   *
   * @throws IllegalStateException if what is stored is no valid request any more: a rule was
   *     tightened, or a newer build wrote it
   */
  public static JobRequest parse(RequestRow row) {
    try {
      return row.resolved() == null
          ? RequestParser.parse(Json.read(row.spec()), Optional.of(row.id()))
          : RequestParser.resolved(Json.read(row.resolved()), row.id(), row.spec());
    } catch (RequestRefused | MalformedJson e) {
      throw new IllegalStateException(
          "the stored request %s cannot be read: %s".formatted(row.id(), e.getMessage()));
    }
  }
}
