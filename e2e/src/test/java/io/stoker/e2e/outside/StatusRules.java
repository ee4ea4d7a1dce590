package io.stoker.e2e.outside;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the status topic promises to its consumers, judged from its records alone: each request
 * ends, an end is final, and the last record of a request is its newest.
 *
 * <p>Records are given in the order of their partitions. Safe for use by several threads.
 */
final class StatusRules {
  private static final Set<String> ENDS = Set.of("SUCCEEDED", "FAILED", "CANCELLED", "REJECTED");

  /**
   * How a request ended.
   *
   * @param at when the first record of its end was sent, ms since 1970
   */
  record End(
      String state,
      String reason,
      String job,
      boolean cached,
      JsonNode result,
      long version,
      long at) {}

  private final Map<String, Long> last = new HashMap<>();
  private final Map<String, Long> newest = new HashMap<>();
  private final Map<String, End> ends = new TreeMap<>();
  private final Map<String, String> jobs = new HashMap<>();
  private final List<String> broken = new ArrayList<>();
  private long records;

  /**
   * @param at the record's time, ms since 1970
   */
  synchronized void see(String key, byte[] value, long at) {
    records++;
    if (value == null) {
      return; // a tombstone: dropped by retention
    }
    JsonNode status;
    try {
      status = Json.read(value);
    } catch (MalformedJson e) {
      broken.add("the status of %s is no JSON: %s".formatted(key, e.getMessage()));
      return;
    }
    String id = status.path("id").asText();
    if (!id.equals(key)) {
      broken.add("the status of %s stands under the key %s".formatted(id, key));
    }
    long version = status.path("version").asLong();
    End end = ends.get(id);
    if (end != null && version > end.version()) {
      broken.add("%s had ended %s, and then came %s".formatted(id, end, status));
    }
    last.put(id, version);
    newest.merge(id, version, Math::max);
    jobs.put(id, status.path("job").asText(null));
    String state = status.path("state").asText();
    if (end == null && ENDS.contains(state)) {
      ends.put(
          id,
          new End(
              state,
              status.path("reason").asText(),
              status.path("job").asText(null),
              status.path("cached").asBoolean(),
              status.path("result"),
              version,
              at));
    }
  }

  synchronized Map<String, End> ends() {
    return new TreeMap<>(ends);
  }

  /** The job that a request was last seen with; null if with none. */
  synchronized String job(String request) {
    return jobs.get(request);
  }

  synchronized long records() {
    return records;
  }

  /** Sentences about what was broken while it happened. */
  synchronized List<String> broken() {
    return List.copyOf(broken);
  }

  /** Those of the requests that have not ended. */
  synchronized List<String> unended(Collection<String> ids) {
    return ids.stream().filter(id -> !ends.containsKey(id)).toList();
  }

  /** Sentences about requests whose last record is not their newest; for when all is at rest. */
  synchronized List<String> overtaken() {
    List<String> overtaken = new ArrayList<>();
    newest.forEach(
        (id, version) -> {
          if (last.get(id) < version) {
            overtaken.add(
                "the last status of %s has version %d, the newest %d"
                    .formatted(id, last.get(id), version));
          }
        });
    return overtaken;
  }
}
