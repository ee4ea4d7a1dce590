package io.stoker.dispatcher.scenario;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.request.Dependency.Condition;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Builds a request as its producer would write it; it goes through the real parser. */
public final class ARequest {
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private final ObjectNode json = NODES.objectNode();

  private ARequest(String id) {
    json.put("id", id);
  }

  /** A request that means something of its own: its command names its id. */
  public static ARequest aRequest(String id) {
    return new ARequest(id).meaning(id);
  }

  /** Requests of the same text mean the same. */
  public ARequest meaning(String text) {
    json.putArray("command").add("echo").add(text);
    return this;
  }

  /** A pool's workers run it, and it has no command. */
  public ARequest workers(String pool) {
    json.remove("command");
    return with("workers", pool);
  }

  public ARequest dependsOn(String... ids) {
    return list("dependsOn", ids);
  }

  /** Adds a dependency with a condition. */
  public ARequest dependsOn(String id, Condition condition) {
    json.withArray("dependsOn").addObject().put("id", id).put("condition", condition.key());
    return this;
  }

  public ARequest list(String field, String... texts) {
    var array = json.putArray(field);
    for (String text : texts) {
      array.add(text);
    }
    return this;
  }

  public ARequest queue(String queue) {
    return with("queue", queue);
  }

  public ARequest priority(int priority) {
    json.put("priority", priority);
    return this;
  }

  public ARequest gpus(int gpus) {
    return resource("gpus", gpus);
  }

  /** A resource of the request, by its field's name. */
  public ARequest resource(String field, Object value) {
    json.withObject("resources").putPOJO(field, value);
    return this;
  }

  /** Its resources, as JSON. */
  public ARequest resources(String text) throws MalformedJson {
    json.set("resources", Json.read(text));
    return this;
  }

  public ARequest retry(String category, int retries) {
    json.withObject("retry").put(category, retries);
    return this;
  }

  /** A run that is nobody else's. */
  public ARequest always() {
    json.put("dedup", "always");
    return this;
  }

  /** The producer's own meaning. */
  public ARequest key(String key) {
    json.withObject("dedup").put("key", key);
    return this;
  }

  public ARequest with(String field, String value) {
    json.put(field, value);
    return this;
  }

  public ARequest flag(String field, boolean value) {
    json.put(field, value);
    return this;
  }

  public ARequest requiresResult() {
    json.put("requiresResult", true);
    return this;
  }

  /** What a producer would post. */
  public String json() {
    return json.toString();
  }

  public JobRequest build() {
    try {
      return RequestParser.parse(json().getBytes(StandardCharsets.UTF_8), Optional.empty());
    } catch (RequestRefused e) {
      throw new IllegalArgumentException("no valid request: " + json, e);
    }
  }
}
