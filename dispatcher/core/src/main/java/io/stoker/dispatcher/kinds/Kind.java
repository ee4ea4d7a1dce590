package io.stoker.dispatcher.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A configured template of requests: what to run, with places for parameters, and defaults for the
 * rest. What the request says itself wins; of {@code params}, {@code env}, {@code resources},
 * {@code retry} and {@code labels} that is so entry by entry.
 *
 * @param definition what the kind brings, of the fields of a request; never changed
 * @param pool that it declares, whose workers run it; empty if it declares none
 * @param fixed whether a request says nothing of how it runs but its parameters
 */
public record Kind(String name, ObjectNode definition, Optional<WorkerPool> pool, boolean fixed) {
  private static final Set<String> BY_ENTRY = Set.of("env", "resources", "retry", "labels");
  private static final String PARAMS = "params";
  private static final String COMMAND = "command";
  private static final String ENV = "env";
  private static final String WORKDIR = "workdir";

  /** Fields of a request that say how it runs, and by which another's code may. */
  private static final List<String> HOW =
      List.of(ENV, WORKDIR, "image", "stages", "workers", "resources");

  /**
   * The request with all that the kind brings.
   *
   * @throws RequestRefused if a parameter is missing or unknown, the kind is fixed and the request
   *     says how it runs, or what comes out is no request
   */
  public JobRequest fill(JobRequest posted) throws RequestRefused {
    ObjectNode request = tree(posted);
    if (fixed) {
      checkFixed(posted.id(), request);
    }
    ObjectNode params = params(posted, request);
    ObjectNode filled = filled(params);
    for (Map.Entry<String, JsonNode> field : request.properties()) {
      boolean byEntry = BY_ENTRY.contains(field.getKey()) && filled.has(field.getKey());
      if (byEntry && field.getValue() instanceof ObjectNode own) {
        filled.withObject("/" + field.getKey()).setAll(own);
      } else {
        filled.set(field.getKey(), field.getValue());
      }
    }
    if (!params.isEmpty()) {
      filled.set(PARAMS, params);
    }
    return RequestParser.resolved(filled, posted.id(), posted.spec());
  }

  private void checkFixed(String id, ObjectNode request) throws RequestRefused {
    for (String field : HOW) {
      if (request.hasNonNull(field)) {
        throw new RequestRefused(
            id,
            field,
            request.get(field).toString(),
            "nothing: kind " + name + " is fixed, and a request gives it parameters alone");
      }
    }
  }

  /** The names of its parameters; nothing if it takes any. */
  Optional<Set<String>> declared() {
    if (!(definition.get(PARAMS) instanceof ObjectNode declared)) {
      return Optional.empty();
    }
    Set<String> names = new LinkedHashSet<>();
    declared.fieldNames().forEachRemaining(names::add);
    return Optional.of(names);
  }

  /** What it fills in for these parameters. */
  private ObjectNode filled(ObjectNode params) {
    ObjectNode filled = definition.deepCopy();
    filled.remove(PARAMS);
    if (definition.has(COMMAND)) {
      ArrayNode command = filled.putArray(COMMAND);
      definition.path(COMMAND).forEach(part -> command.add(fill(part, params)));
    }
    if (definition.get(ENV) instanceof ObjectNode env) {
      env.properties().stream()
          .filter(one -> one.getValue().isTextual()) // else a secret, by its name
          .forEach(
              one -> filled.withObject("/" + ENV).put(one.getKey(), fill(one.getValue(), params)));
    }
    if (definition.has(WORKDIR)) {
      filled.put(WORKDIR, fill(definition.get(WORKDIR), params));
    }
    return filled;
  }

  private static String fill(JsonNode text, ObjectNode params) {
    return new Template(text.textValue()).fill(params);
  }

  private ObjectNode params(JobRequest posted, ObjectNode request) throws RequestRefused {
    ObjectNode params = JsonNodeFactory.instance.objectNode();
    if (definition.get(PARAMS) instanceof ObjectNode defaults) {
      params.setAll(defaults);
    }
    if (request.get(PARAMS) instanceof ObjectNode given) {
      Optional<Set<String>> declared = declared();
      for (Map.Entry<String, JsonNode> one : given.properties()) {
        if (declared.isPresent() && !declared.get().contains(one.getKey())) {
          throw new RequestRefused(
              posted.id(),
              PARAMS + "." + one.getKey(),
              one.getValue().toString(),
              "a parameter of kind " + name + ": " + String.join(", ", declared.get()));
        }
        params.set(one.getKey(), one.getValue());
      }
    }
    for (String wanted : wanted()) {
      if (!params.hasNonNull(wanted)) {
        throw new RequestRefused(
            posted.id(),
            PARAMS + "." + wanted,
            "missing",
            "a value: kind " + name + " asks for it");
      }
    }
    return params;
  }

  /** Parameters that must have a value. */
  Set<String> wanted() {
    Set<String> wanted = new LinkedHashSet<>();
    definition.path(COMMAND).forEach(part -> wanted.addAll(names(part)));
    definition.path(ENV).forEach(value -> wanted.addAll(names(value)));
    if (definition.has(WORKDIR)) {
      wanted.addAll(names(definition.get(WORKDIR)));
    }
    definition
        .path(PARAMS)
        .properties()
        .forEach(
            one -> {
              if (one.getValue().isNull()) {
                wanted.add(one.getKey());
              }
            });
    return wanted;
  }

  private static Set<String> names(JsonNode text) {
    return text.isTextual() ? new Template(text.textValue()).names() : Set.of();
  }

  private static ObjectNode tree(JobRequest posted) {
    try {
      return (ObjectNode) Json.read(posted.spec());
    } catch (MalformedJson e) {
      throw new IllegalStateException("a request's own text cannot be read: " + posted.id(), e);
    }
  }
}
