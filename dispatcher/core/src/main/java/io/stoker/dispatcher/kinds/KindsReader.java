package io.stoker.dispatcher.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * Makes kinds of what a file holds: all of them, or none. Each is tried out as a request would use
 * it, so that what is wrong with a kind is found when it is read and not when it is asked for.
 *
 * @param admission asked whether a request may come into its queue
 */
public record KindsReader(Function<JobRequest, Optional<RequestRefused>> admission) {
  static final String KINDS = "kinds";
  private static final String FIXED = "fixed";
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1,128}");

  /** What is a request's own. */
  private static final Set<String> OWN = Set.of("id", "kind", "dependsOn");

  public Map<String, Kind> read(Located file) throws KindsRefused {
    if (!file.tree().isObject()) {
      throw refused(file, "", "expected an object with the field kinds");
    }
    for (Map.Entry<String, JsonNode> field : file.tree().properties()) {
      if (!field.getKey().equals(KINDS)) {
        throw refused(file, field.getKey(), field.getKey() + ": an unknown field, expected kinds");
      }
    }
    JsonNode kinds = file.tree().path(KINDS);
    if (!kinds.isObject()) {
      throw refused(file, KINDS, "kinds: " + kinds + ", expected an object of kinds by name");
    }
    Map<String, Kind> read = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> one : kinds.properties()) {
      read.put(one.getKey(), read(file, one.getKey(), one.getValue()));
    }
    KindPoolReader.declaredOnce(file, read.values());
    return read;
  }

  private Kind read(Located file, String name, JsonNode given) throws KindsRefused {
    String at = KINDS + "." + name;
    if (!NAME.matcher(name).matches() || name.equals(JobRequest.COMMAND)) {
      String expected = "1 to 128 of A-Z a-z 0-9 . _ : -, and not " + JobRequest.COMMAND;
      throw refused(file, at, at + ": expected as its name " + expected);
    }
    if (!given.isObject()) {
      throw refused(file, at, at + ": " + given + ", expected an object");
    }
    for (Map.Entry<String, JsonNode> field : given.properties()) {
      if (OWN.contains(field.getKey())) {
        String path = at + "." + field.getKey();
        throw refused(file, path, path + ": belongs to each request, expected nothing of it here");
      }
    }
    Optional<JsonRules.Violation> violation = JsonRules.check(given, at);
    if (violation.isPresent()) {
      throw refused(file, violation.get().path(), violation.get().sentence());
    }
    ObjectNode definition = canonical(given);
    Optional<WorkerPool> pool = KindPoolReader.take(file, name, definition);
    boolean fixed = takeFixed(file, at + "." + FIXED, definition);
    Kind kind = new Kind(name, definition, pool, fixed);
    checkPlaces(file, at, kind);
    tryOut(file, at, kind);
    return kind;
  }

  /** Takes it out of a kind's definition: it is no field of a request. */
  private static boolean takeFixed(Located file, String path, ObjectNode definition)
      throws KindsRefused {
    JsonNode given = definition.remove(FIXED);
    if (given != null && !given.isBoolean()) {
      throw refused(file, path, path + ": " + given + ", expected true or false");
    }
    return given != null && given.booleanValue();
  }

  private static void checkPlaces(Located file, String at, Kind kind) throws KindsRefused {
    JsonNode command = kind.definition().path("command");
    for (int i = 0; i < command.size(); i++) {
      checkPlaces(file, at + ".command[" + i + "]", command.get(i), kind);
    }
    for (Map.Entry<String, JsonNode> one : kind.definition().path("env").properties()) {
      checkPlaces(file, at + ".env." + one.getKey(), one.getValue(), kind);
    }
    checkPlaces(file, at + ".workdir", kind.definition().path("workdir"), kind);
  }

  private static void checkPlaces(Located file, String path, JsonNode value, Kind kind)
      throws KindsRefused {
    if (!value.isTextual()) {
      return; // trying it out tells what is wrong with it, if anything is
    }
    Template template = new Template(value.textValue());
    Optional<String> wrong = template.wrongPlace();
    if (wrong.isPresent()) {
      throw refused(
          file,
          path,
          path + ": " + wrong.get() + ", expected ${params.NAME}; $${ stands for ${ itself");
    }
    Optional<Set<String>> declared = kind.declared();
    for (String name : template.names()) {
      if (declared.isPresent() && !declared.get().contains(name)) {
        String known = String.join(", ", declared.get());
        throw refused(
            file, path, path + ": ${params." + name + "}, expected one of its params: " + known);
      }
    }
  }

  /** As a request would use it that gives every parameter. */
  private void tryOut(Located file, String at, Kind kind) throws KindsRefused {
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    request.put("id", "a-request").put("kind", kind.name());
    ObjectNode params = request.putObject("params");
    try {
      JsonNode definition = kind.definition();
      boolean runs = definition.path("command").isArray() || definition.has("workers");
      if (runs && texts(definition)) {
        kind.wanted().forEach(name -> params.put(name, "value"));
        JobRequest tried = kind.fill(RequestParser.parse(request, Optional.empty()));
        Optional<RequestRefused> why = admission.apply(tried);
        if (why.isPresent()) {
          throw why.get();
        }
      } else {
        // Not filled in, it is refused as the same request without a kind would be.
        ObjectNode plain = kind.definition().deepCopy();
        RequestParser.parse(plain.put("id", "a-request"), Optional.empty());
      }
    } catch (RequestRefused e) {
      String path = at + "." + e.field();
      throw refused(file, path, path + ": " + e.value() + ", expected " + e.expected());
    }
  }

  private static boolean texts(JsonNode definition) {
    boolean command = definition.path("command").valueStream().allMatch(JsonNode::isTextual);
    boolean env =
        definition.path("env").valueStream().allMatch(one -> one.isTextual() || one.isObject());
    boolean workdir =
        definition.path("workdir").isMissingNode() || definition.path("workdir").isTextual();
    boolean params =
        definition.path("params").isMissingNode() || definition.path("params").isObject();
    return command && env && workdir && params;
  }

  /** Numbers as every other request has them, so that equal requests have equal commands. */
  private static ObjectNode canonical(JsonNode given) {
    ObjectNode kept = given.deepCopy();
    kept.properties().removeIf(field -> field.getValue().isNull());
    try {
      return (ObjectNode) Json.read(CanonicalJson.text(kept));
    } catch (MalformedJson e) {
      throw new IllegalStateException("canonical JSON cannot be read", e);
    }
  }

  static KindsRefused refused(Located file, String path, String reason) {
    return new KindsRefused(file.line(path), reason);
  }
}
