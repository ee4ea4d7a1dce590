package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.state.FailureCategory;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Reads the fields of a request, each by its own rule. */
final class RequestFields {
  private static final int MAX_DEPENDENCIES = 10_000;
  private static final Set<String> FIELDS =
      new TreeSet<>(
          Set.of(
              "id",
              "kind",
              "command",
              "params",
              "env",
              "workdir",
              "image",
              "stages",
              "workers",
              "resources",
              "dependsOn",
              "queue",
              "priority",
              "group",
              "user",
              "timeout",
              "queueTimeout",
              "dependencyTimeout",
              "retry",
              "dedup",
              "preemptible",
              "requiresResult",
              "resultLabels",
              "labels"));

  private RequestFields() {}

  /**
   * Reads a request as it was posted.
   *
   * @param spec its {@link JobRequest#spec}
   */
  static JobRequest posted(String id, JsonNode tree, String spec) throws RequestRefused {
    FieldReader fields = FieldReader.of(id, "", tree, FIELDS);
    String kind = kind(fields);
    if (kind.equals(JobRequest.COMMAND)) {
      return read(id, fields, RunBy.command(fields), spec, Optional.empty());
    }
    for (String own : List.of("command", "workers")) {
      if (fields.node(own).isPresent()) {
        throw fields.refused(
            own, fields.node(own).get(), "nothing: kind " + kind + " brings its own");
      }
    }
    return read(id, fields, List.of(), spec, Optional.empty());
  }

  /**
   * Reads a request whose kind has been filled in.
   *
   * @param posted its {@link JobRequest#spec} as its producer wrote it
   * @param resolved what is in force instead
   */
  static JobRequest resolved(String id, JsonNode tree, String posted, String resolved)
      throws RequestRefused {
    FieldReader fields = FieldReader.of(id, "", tree, FIELDS);
    return read(id, fields, RunBy.command(fields), posted, Optional.of(resolved));
  }

  private static String kind(FieldReader fields) throws RequestRefused {
    return fields.text("kind", 128).orElse(JobRequest.COMMAND);
  }

  private static JobRequest read(
      String id, FieldReader fields, List<String> command, String spec, Optional<String> resolved)
      throws RequestRefused {
    Optional<JsonNode> params = fields.node("params");
    if (params.isPresent() && !params.get().isObject()) {
      throw fields.refused("params", params.get(), "an object");
    }
    RunBy run = RunBy.read(id, fields, command);
    Variables env = Variables.read(fields, run.resources().type());
    return new JobRequest(
        id,
        kind(fields),
        run.command(),
        params,
        env.plain(),
        env.secrets(),
        fields.text("workdir", 4096),
        run.image(),
        run.staged(),
        run.workers(),
        run.resources(),
        dependencies(id, fields),
        fields.text("queue", 128).orElse(JobRequest.DEFAULT_QUEUE),
        fields.integer("priority", 0, -1000, 1000),
        fields.text("group", 128),
        fields.text("user", 128),
        fields.duration("timeout"),
        fields.duration("queueTimeout"),
        fields.duration("dependencyTimeout").orElse(JobRequest.DEFAULT_DEPENDENCY_TIMEOUT),
        retries(id, fields),
        dedup(id, fields),
        fields.flag("preemptible", false),
        fields.flag("requiresResult", false),
        fields.texts("resultLabels", JobRequest.MAX_RESULT_LABELS, JobRequest.MAX_RESULT_LABEL),
        fields.map("labels"),
        spec,
        resolved);
  }

  private static List<Dependency> dependencies(String id, FieldReader fields)
      throws RequestRefused {
    List<Dependency> dependencies = new ArrayList<>();
    Set<String> seen = new HashSet<>();
    for (JsonNode entry : fields.list("dependsOn", MAX_DEPENDENCIES, "ids of requests")) {
      String at = "dependsOn[" + dependencies.size() + "]";
      Dependency dependency = dependency(id, at, entry, fields);
      if (!RequestId.isValid(dependency.id())) {
        throw fields.refused("dependsOn", dependency.id(), RequestId.EXPECTED);
      }
      if (dependency.id().equals(id)) {
        throw fields.refused(
            "dependsOn", dependency.id(), "the ids of other requests, not its own");
      }
      if (!seen.add(dependency.id())) {
        throw fields.refused("dependsOn", dependency.id(), "each id once");
      }
      dependencies.add(dependency);
    }
    return List.copyOf(dependencies);
  }

  private static Dependency dependency(String id, String at, JsonNode entry, FieldReader fields)
      throws RequestRefused {
    if (entry.isTextual()) {
      return Dependency.on(entry.textValue());
    }
    if (!entry.isObject()) {
      throw fields.refused(at, entry, "an id, or {\"id\": \"…\", \"condition\": \"…\"}");
    }
    FieldReader own = FieldReader.of(id, at, entry, new TreeSet<>(Set.of("id", "condition")));
    String other = own.text("id", FieldReader.MAX_TEXT).orElse(null);
    if (other == null) {
      throw own.refused("id", "nothing", RequestId.EXPECTED);
    }
    return new Dependency(
        other, own.choice("condition", Dependency.Condition.class, Dependency.Condition.SUCCEEDED));
  }

  private static Map<FailureCategory, Integer> retries(String id, FieldReader fields)
      throws RequestRefused {
    Map<FailureCategory, Integer> retries = new EnumMap<>(FailureCategory.class);
    Optional<JsonNode> node = fields.node("retry");
    if (node.isEmpty()) {
      return retries;
    }
    Set<String> keys = new TreeSet<>(List.of(FailureCategory.keys().split(", ")));
    FieldReader entries = FieldReader.of(id, "retry", node.get(), keys);
    for (FailureCategory category : FailureCategory.values()) {
      if (entries.node(category.key()).isPresent()) {
        retries.put(category, entries.integer(category.key(), 0, 0, 1000));
      }
    }
    return retries;
  }

  private static Dedup dedup(String id, FieldReader fields) throws RequestRefused {
    Optional<JsonNode> node = fields.node("dedup");
    if (node.isEmpty() || node.get().asText().equals("share")) {
      return new Dedup.Share();
    }
    if (node.get().asText().equals("always")) {
      return new Dedup.Always();
    }
    if (node.get().isObject()) {
      FieldReader own = FieldReader.of(id, "dedup", node.get(), Set.of("key"));
      Optional<String> key = own.text("key", Dedup.Key.MAX_KEY);
      if (key.isPresent()) {
        return new Dedup.Key(key.get());
      }
    }
    throw fields.refused("dedup", node.get(), "share, always or {\"key\": \"…\"}");
  }
}
