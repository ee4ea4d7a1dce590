package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.json.CanonicalJson;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.JsonRules.Violation;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.state.FailureCategory;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/** Turns a record into a valid request, or says which field is wrong, what it held and why. */
public final class RequestParser {
  /** Largest record that is read. */
  public static final int MAX_BYTES = 1 << 20;

  /** What an id looks like, for people. */
  public static final String ID_EXPECTED = "1 to 128 of A-Z a-z 0-9 . _ : -";

  /** What the name of a pool of workers looks like. */
  public static final Pattern POOL = Pattern.compile("[A-Za-z0-9_-]{1,64}");

  public static final String POOL_EXPECTED = "the name of a pool: 1 to 64 of A-Z a-z 0-9 _ -";

  /** What the name of an image looks like. */
  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/@+-]*");

  private static final int MAX_POOL = 64;
  private static final int MAX_TEXT = 128 * 1024;
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

  private static final int MAX_ID = 128;

  private RequestParser() {}

  /** Whether a text may be an id. */
  public static boolean isId(String text) {
    // By hand: this is asked of every request, and an expression costs as much as the rest of it.
    return !text.isEmpty() && text.length() <= MAX_ID && text.chars().allMatch(RequestParser::inId);
  }

  private static boolean inId(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '.'
        || c == '_'
        || c == ':'
        || c == '-';
  }

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
      String size = value.length + " bytes";
      throw new RequestRefused(
          fallback.orElse(null), "request", size, "at most " + MAX_BYTES + " bytes");
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
      return read(id, moved.put("queue", queue.get()));
    }
    return read(id, tree);
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
    FieldReader fields = FieldReader.of(id, "", tree, FIELDS);
    return read(id, fields, command(fields), posted).resolvedTo(spec(id, tree));
  }

  private static String id(JsonNode tree, Optional<String> eventId) throws RequestRefused {
    if (!tree.isObject()) {
      String fallback = valid(eventId).orElse(null);
      throw new RequestRefused(fallback, "request", tree.toString(), "a JSON object");
    }
    JsonNode own = tree.path("id");
    if (!own.isMissingNode() && !own.isNull() && !own.isTextual()) {
      throw new RequestRefused(null, "id", own.toString(), ID_EXPECTED);
    }
    Optional<String> id = Optional.ofNullable(own.textValue()).or(() -> eventId);
    if (id.isEmpty()) {
      throw new RequestRefused(null, "id", "missing", ID_EXPECTED);
    }
    return valid(id).orElseThrow(() -> new RequestRefused(null, "id", id.get(), ID_EXPECTED));
  }

  private static Optional<String> valid(Optional<String> id) {
    return id.filter(RequestParser::isId);
  }

  private static JobRequest read(String id, JsonNode tree) throws RequestRefused {
    FieldReader fields = FieldReader.of(id, "", tree, FIELDS);
    String kind = kind(fields);
    if (kind.equals(JobRequest.COMMAND)) {
      return read(id, fields, command(fields), spec(id, tree));
    }
    for (String own : List.of("command", "workers")) {
      if (fields.node(own).isPresent()) {
        throw fields.refused(
            own, fields.node(own).get(), "nothing: kind " + kind + " brings its own");
      }
    }
    return read(id, fields, List.of(), spec(id, tree));
  }

  private static String kind(FieldReader fields) throws RequestRefused {
    return fields.text("kind", 128).orElse(JobRequest.COMMAND);
  }

  private static JobRequest read(String id, FieldReader fields, List<String> command, String spec)
      throws RequestRefused {
    Optional<JsonNode> params = fields.node("params");
    if (params.isPresent() && !params.get().isObject()) {
      throw fields.refused("params", params.get(), "an object");
    }
    Optional<String> image = image(fields);
    Resources resources = ResourcesParser.parse(id, fields.node("resources"), image.isPresent());
    if (!command.isEmpty() && image.isEmpty() && isContainer(resources)) {
      throw fields.refused("image", "missing", "the image to run, for type container");
    }
    Optional<String> workers = workers(fields, resources);
    return new JobRequest(
        id,
        kind(fields),
        command,
        params,
        env(fields),
        fields.text("workdir", 4096),
        image,
        staged(fields, resources),
        workers,
        resources,
        dependsOn(id, fields),
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
        fields.texts("resultLabels", 100, 128),
        fields.map("labels"),
        spec,
        Optional.empty());
  }

  private static List<String> command(FieldReader fields) throws RequestRefused {
    if (fields.node("workers").isPresent()) {
      return List.of();
    }
    List<String> command = fields.texts("command", 10_000, MAX_TEXT);
    if (command.isEmpty() || command.get(0).isBlank()) {
      throw fields.refused(
          "command",
          command.isEmpty() ? "missing or empty" : "a blank program",
          "an array of the program and its arguments");
    }
    return command;
  }

  /** A name and not an option: it is an argument of a command line. */
  private static Optional<String> image(FieldReader fields) throws RequestRefused {
    Optional<String> image = fields.text("image", 1024);
    if (image.isPresent() && !IMAGE.matcher(image.get()).matches()) {
      throw fields.refused("image", image.get(), "the name of an image, such as repo/name:tag");
    }
    return image;
  }

  private static boolean isContainer(Resources resources) {
    return resources.type().equals(RunnerType.CONTAINER.key());
  }

  private static boolean staged(FieldReader fields, Resources resources) throws RequestRefused {
    List<String> stages = fields.texts("stages", JobRequest.STAGES.size(), MAX_TEXT);
    if (fields.node("stages").isEmpty()) {
      return false;
    }
    if (!stages.equals(JobRequest.STAGES)) {
      throw fields.refused("stages", fields.node("stages").get(), "[\"load\", \"train\"]");
    }
    if (!plain(resources)) {
      throw fields.refused("resources.type", resources.type(), "cpu or gpu, since it has stages");
    }
    if (resources.gpus() > 1) {
      throw fields.refused(
          "resources.gpus", Integer.toString(resources.gpus()), "0 or 1, since it has stages");
    }
    if (resources.hosts() > 1) {
      throw fields.refused(
          "resources.hosts", Integer.toString(resources.hosts()), "1, since it has stages");
    }
    return true;
  }

  /** What its workers are, and with what they run, is their host's configuration. */
  private static Optional<String> workers(FieldReader fields, Resources resources)
      throws RequestRefused {
    Optional<String> workers = fields.text("workers", MAX_POOL);
    if (workers.isEmpty()) {
      return workers;
    }
    if (!POOL.matcher(workers.get()).matches()) {
      throw fields.refused("workers", workers.get(), POOL_EXPECTED);
    }
    for (String own : List.of("command", "env", "workdir", "image", "stages")) {
      if (fields.node(own).isPresent()) {
        throw fields.refused(
            own, fields.node(own).get(), "nothing: the workers of a pool bring their own");
      }
    }
    if (!plain(resources)) {
      throw fields.refused("resources.type", resources.type(), "cpu, since it runs in a pool");
    }
    if (resources.gpus() > 0) {
      throw fields.refused(
          "resources.gpus", Integer.toString(resources.gpus()), "0: a pool's workers have theirs");
    }
    if (resources.hosts() > 1) {
      throw fields.refused(
          "resources.hosts", Integer.toString(resources.hosts()), "1, since it runs in a pool");
    }
    return workers;
  }

  private static boolean plain(Resources resources) {
    return RunnerType.of(resources.type()).filter(RunnerType::plain).isPresent();
  }

  private static Map<String, String> env(FieldReader fields) throws RequestRefused {
    Map<String, String> env = fields.map("env");
    for (String name : env.keySet()) {
      if (name.indexOf('=') >= 0) {
        throw fields.refused("env", name, "names of variables, without =");
      }
    }
    return env;
  }

  private static List<String> dependsOn(String id, FieldReader fields) throws RequestRefused {
    List<String> ids = fields.texts("dependsOn", MAX_DEPENDENCIES, MAX_TEXT);
    Set<String> seen = new HashSet<>();
    for (String dependency : ids) {
      if (!isId(dependency)) {
        throw fields.refused("dependsOn", dependency, ID_EXPECTED);
      }
      if (dependency.equals(id)) {
        throw fields.refused("dependsOn", dependency, "the ids of other requests, not its own");
      }
      if (!seen.add(dependency)) {
        throw fields.refused("dependsOn", dependency, "each id once");
      }
    }
    return ids;
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
