package io.stoker.cli.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.cli.outcome.CliException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The parameters that a sweep tries: every combination of a grid, the cases of a list each with
 * every combination, or so many drawn at random. None comes twice.
 */
final class Configurations {
  /** More than anybody means. */
  static final int MOST = 100_000;

  private static final MathContext DRAWN = new MathContext(6);
  private static final Set<String> RANGE = Set.of("min", "max", "scale", "integer");

  private Configurations() {}

  /** All combinations, the last parameter changing fastest. */
  static List<ObjectNode> grid(ObjectNode grid, List<ObjectNode> cases) {
    List<ObjectNode> all = new ArrayList<>(cases.isEmpty() ? List.of(empty()) : cases);
    for (Map.Entry<String, JsonNode> parameter : grid.properties()) {
      String field = "grid." + parameter.getKey();
      List<JsonNode> values = values(field, parameter.getValue());
      if ((long) all.size() * values.size() > MOST) {
        throw CliException.usage("grid: more than %d configurations".formatted(MOST));
      }
      List<ObjectNode> next = new ArrayList<>();
      for (ObjectNode before : all) {
        if (before.has(parameter.getKey())) {
          throw CliException.usage(field + ": also in cases, expected in one of them");
        }
        for (JsonNode value : values) {
          next.add(before.deepCopy().set(parameter.getKey(), value));
        }
      }
      all = next;
    }
    return distinct(all);
  }

  private static List<JsonNode> values(String field, JsonNode list) {
    if (!list.isArray() || list.isEmpty()) {
      throw CliException.usage("%s: %s, expected a list of values".formatted(field, list));
    }
    List<JsonNode> values = new ArrayList<>();
    list.forEach(values::add);
    return values;
  }

  /** So many of them, the same for the same seed, in the order they had. */
  static List<ObjectNode> sample(List<ObjectNode> all, int count, long seed) {
    if (count >= all.size()) {
      return all;
    }
    List<Integer> places = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      places.add(i);
    }
    Collections.shuffle(places, new Random(seed));
    return places.subList(0, count).stream().sorted().map(all::get).toList();
  }

  /**
   * So many drawn from ranges and lists, the same for the same seed; fewer where there are not as
   * many that differ.
   */
  static List<ObjectNode> random(ObjectNode ranges, int count, long seed) {
    Random random = new Random(seed);
    Set<ObjectNode> drawn = new LinkedHashSet<>();
    // Where few differ, most draws repeat one.
    for (long tries = 0; drawn.size() < count && tries < 100L * count; tries++) {
      ObjectNode one = empty();
      ranges
          .properties()
          .forEach(
              parameter ->
                  one.set(
                      parameter.getKey(),
                      draw("random." + parameter.getKey(), parameter.getValue(), random)));
      drawn.add(one);
    }
    return List.copyOf(drawn);
  }

  private static JsonNode draw(String field, JsonNode from, Random random) {
    if (from.isArray() && !from.isEmpty()) {
      return from.get(random.nextInt(from.size()));
    }
    boolean range =
        from.isObject()
            && from.path("min").isNumber()
            && from.path("max").isNumber()
            && from.path("min").asDouble() <= from.path("max").asDouble();
    if (!range) {
      throw CliException.usage("%s: %s, expected a list, or min and max".formatted(field, from));
    }
    from.fieldNames()
        .forEachRemaining(
            name -> {
              if (!RANGE.contains(name)) {
                throw CliException.usage(
                    "%s.%s: an unknown field, expected min, max, scale or integer"
                        .formatted(field, name));
              }
            });
    double value = between(field, from, random);
    return from.path("integer").asBoolean()
        ? JsonNodeFactory.instance.numberNode(
            Math.clamp(Math.round(value), from.get("min").asLong(), from.get("max").asLong()))
        : JsonNodeFactory.instance.numberNode(new BigDecimal(value).round(DRAWN));
  }

  private static double between(String field, JsonNode range, Random random) {
    double min = range.get("min").asDouble();
    double max = range.get("max").asDouble();
    return switch (range.path("scale").asText("linear")) {
      case "linear" -> min + random.nextDouble() * (max - min);
      case "log" -> {
        if (min <= 0) {
          throw CliException.usage(
              "%s.min: %s, expected more than 0 on a log scale".formatted(field, range.get("min")));
        }
        yield Math.exp(Math.log(min) + random.nextDouble() * (Math.log(max) - Math.log(min)));
      }
      default ->
          throw CliException.usage(
              "%s.scale: %s, expected linear or log".formatted(field, range.get("scale")));
    };
  }

  private static List<ObjectNode> distinct(List<ObjectNode> all) {
    return List.copyOf(new LinkedHashSet<>(all));
  }

  private static ObjectNode empty() {
    return JsonNodeFactory.instance.objectNode();
  }
}
