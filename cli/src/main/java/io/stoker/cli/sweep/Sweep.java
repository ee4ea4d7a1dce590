package io.stoker.cli.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.input.Submission;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.request.Nearest;
import io.stoker.common.request.RequestParser;
import io.stoker.common.request.RequestRefused;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A sweep as its file says it: one request with many configurations.
 *
 * @param name of the experiment
 * @param plan what the experiment is made with, as it is posted
 * @param request the base of all requests
 * @param configurations parameters of each
 */
public record Sweep(
    String name, ObjectNode plan, ObjectNode request, List<ObjectNode> configurations) {
  private static final Set<String> FIELDS =
      Set.of(
          "name",
          "objective",
          "parallel",
          "failure",
          "retries",
          "resultLabels",
          "earlyStopping",
          "after",
          "request",
          "grid",
          "cases",
          "random",
          "samples",
          "seed");
  private static final Set<String> OF_EXPERIMENT =
      Set.of("objective", "parallel", "failure", "resultLabels", "earlyStopping");

  /**
   * Reads a sweep.
   *
   * @param name the experiment's, where the file says none
   * @throws CliException with exit code 2 that names what is wrong
   */
  public static Sweep of(ObjectNode file, String name) {
    file.fieldNames()
        .forEachRemaining(
            field -> {
              if (!FIELDS.contains(field)) {
                throw CliException.usage(
                    "%s: an unknown field%s, expected one of %s"
                        .formatted(
                            field,
                            Nearest.hint(field, FIELDS),
                            String.join(", ", new TreeSet<>(FIELDS))));
              }
            });
    Sweep sweep =
        new Sweep(file.path("name").asText(name), plan(file), request(file), configurations(file));
    if (sweep.configurations.isEmpty()) {
      throw CliException.usage("grid: nothing to try, expected grid, cases or random");
    }
    // Half a sweep on its way helps nobody.
    sweep.requests(sweep.name);
    return sweep;
  }

  private static ObjectNode plan(ObjectNode file) {
    ObjectNode plan = file.objectNode();
    ObjectNode experiment = plan.putObject("experiment");
    OF_EXPERIMENT.stream()
        .sorted()
        .filter(file::hasNonNull)
        .forEach(field -> experiment.set(field, file.get(field)));
    if (file.hasNonNull("after")) {
      plan.set("after", file.get("after"));
    }
    return plan;
  }

  private static ObjectNode request(ObjectNode file) {
    if (!(file.get("request") instanceof ObjectNode request)) {
      throw CliException.usage("request: missing, expected the request that all are made of");
    }
    for (String own : List.of("id", "group")) {
      if (request.has(own)) {
        throw CliException.usage(
            "request.%s: %s, expected none: each request gets its own"
                .formatted(own, request.get(own)));
      }
    }
    ObjectNode base = request.deepCopy();
    JsonNode retries = file.path("retries");
    if (retries.isInt()) {
      base.putObject("retry").set("app", retries);
    } else if (retries.isObject()) {
      base.set("retry", retries);
    } else if (!retries.isMissingNode()) {
      throw CliException.usage(
          "retries: %s, expected a number, or numbers by category of failure".formatted(retries));
    }
    return base;
  }

  private static List<ObjectNode> configurations(ObjectNode file) {
    int samples = samples(file);
    long seed = file.path("seed").asLong(0);
    if (file.has("random")) {
      if (file.has("grid") || file.has("cases")) {
        throw CliException.usage("random: beside grid or cases, expected one of them");
      }
      if (samples == 0) {
        throw CliException.usage("samples: missing, expected how many are drawn at random");
      }
      return Configurations.random(object(file, "random"), samples, seed);
    }
    List<ObjectNode> cases = new ArrayList<>();
    for (JsonNode one : file.path("cases")) {
      if (!(one instanceof ObjectNode object)) {
        throw CliException.usage("cases: %s, expected a list of objects".formatted(one));
      }
      cases.add(object);
    }
    if (!file.has("grid") && cases.isEmpty()) {
      return List.of();
    }
    ObjectNode grid = file.has("grid") ? object(file, "grid") : file.objectNode();
    List<ObjectNode> all = Configurations.grid(grid, cases);
    return samples == 0 ? all : Configurations.sample(all, samples, seed);
  }

  private static int samples(ObjectNode file) {
    JsonNode samples = file.path("samples");
    if (samples.isMissingNode()) {
      return 0;
    }
    if (!samples.canConvertToInt()
        || samples.asInt() < 1
        || samples.asInt() > Configurations.MOST) {
      throw CliException.usage(
          "samples: %s, expected 1 to %d".formatted(samples, Configurations.MOST));
    }
    return samples.asInt();
  }

  private static ObjectNode object(ObjectNode file, String field) {
    if (file.get(field) instanceof ObjectNode object && !object.isEmpty()) {
      return object;
    }
    throw CliException.usage(
        "%s: %s, expected parameters with their values".formatted(field, file.get(field)));
  }

  /** The same, judged by another policy while it runs; none stops nothing. */
  public Sweep stoppedBy(String policy) {
    ObjectNode changed = plan.deepCopy();
    ObjectNode experiment = (ObjectNode) changed.get("experiment");
    if (policy.equals("none")) {
      experiment.remove("earlyStopping");
    } else {
      experiment.withObject("/earlyStopping").put("policy", policy);
    }
    return new Sweep(name, changed, request, configurations);
  }

  /** The same, with as many at once. */
  public Sweep parallel(int most) {
    ObjectNode changed = plan.deepCopy();
    ((ObjectNode) changed.get("experiment")).put("parallel", most);
    return new Sweep(name, changed, request, configurations);
  }

  /** A request of the sweep, and what it tries. */
  public record Trial(Submission request, ObjectNode configuration) {
    public String id() {
      return request.id();
    }
  }

  /**
   * All requests.
   *
   * @param group the experiment's name as it was given
   */
  public List<Trial> requests(String group) {
    List<Trial> requests = new ArrayList<>();
    int digits = Integer.toString(configurations.size()).length();
    for (int i = 0; i < configurations.size(); i++) {
      String id =
          "%s-%0{}d".replace("{}", Integer.toString(digits)).formatted(prefix(group), i + 1);
      requests.add(trial(id, group, configurations.get(i)));
    }
    return requests;
  }

  /** What of a name may stand in an id: {@code name (1)} becomes {@code name.1}. */
  static String prefix(String group) {
    String plain = group.replaceAll(" \\((\\d+)\\)$", ".$1").replaceAll("[^A-Za-z0-9._:-]", "_");
    return plain.length() > 100 ? plain.substring(0, 100) : plain;
  }

  private Trial trial(String id, String group, ObjectNode configuration) {
    ObjectNode params =
        request.path("params") instanceof ObjectNode base ? base.deepCopy() : request.objectNode();
    configuration.properties().forEach(field -> params.set(field.getKey(), field.getValue()));
    ObjectNode filled = (ObjectNode) Placeholders.filled(request, params);
    filled.put("id", id);
    filled.put("group", group);
    filled.set("params", params);
    try {
      return new Trial(Submission.of(RequestParser.parse(filled, Optional.empty())), configuration);
    } catch (RequestRefused e) {
      throw CliException.usage("request: " + e.getMessage());
    }
  }

  /** A configuration in a few words, such as {@code k=5 method=knn}. */
  public static String shown(ObjectNode configuration) {
    return String.join(" ", configuration.propertyStream().map(Sweep::shown).toList());
  }

  private static String shown(Map.Entry<String, JsonNode> field) {
    JsonNode value = field.getValue();
    return field.getKey() + "=" + (value.isTextual() ? value.textValue() : value.toString());
  }
}
