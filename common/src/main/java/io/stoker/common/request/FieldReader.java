package io.stoker.common.request;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.stoker.common.size.ByteSize;
import io.stoker.common.size.Durations;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reads typed fields of one JSON object; a null counts as absent; the first wrong one is refused.
 */
final class FieldReader {
  /** Characters of a text that has no bound of its own, such as an argument of a command. */
  static final int MAX_TEXT = 128 * 1024;

  private final String id;
  private final String path;
  private final JsonNode object;

  private FieldReader(String id, String path, JsonNode object) {
    this.id = id;
    this.path = path;
    this.object = object;
  }

  static FieldReader of(String id, String path, JsonNode node, Set<String> known)
      throws RequestRefused {
    if (!(node instanceof ObjectNode)) {
      throw new RequestRefused(id, path.isEmpty() ? "request" : path, node.toString(), "an object");
    }
    FieldReader reader = new FieldReader(id, path, node);
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      if (!known.contains(field.getKey())) {
        throw reader.refused(
            field.getKey(),
            "an unknown field" + Nearest.hint(field.getKey(), known),
            "one of " + String.join(", ", known));
      }
    }
    return reader;
  }

  Optional<JsonNode> node(String name) {
    JsonNode node = object.get(name);
    return node == null || node.isNull() ? Optional.empty() : Optional.of(node);
  }

  Optional<String> text(String name, int maxLength) throws RequestRefused {
    Optional<JsonNode> node = node(name);
    if (node.isEmpty()) {
      return Optional.empty();
    }
    String expected = "a string of 1 to " + maxLength + " characters";
    if (!node.get().isTextual()) {
      throw refused(name, node.get(), expected);
    }
    String text = node.get().textValue();
    if (text.isEmpty() || text.length() > maxLength) {
      throw refused(name, node.get(), expected);
    }
    return Optional.of(text);
  }

  int integer(String name, int otherwise, int min, int max) throws RequestRefused {
    Optional<JsonNode> node = node(name);
    if (node.isEmpty()) {
      return otherwise;
    }
    boolean fits =
        node.get().isIntegralNumber()
            && node.get().canConvertToInt()
            && node.get().intValue() >= min
            && node.get().intValue() <= max;
    if (!fits) {
      throw refused(name, node.get(), "an integer from " + min + " to " + max);
    }
    return node.get().intValue();
  }

  boolean flag(String name, boolean otherwise) throws RequestRefused {
    Optional<JsonNode> node = node(name);
    if (node.isPresent() && !node.get().isBoolean()) {
      throw refused(name, node.get(), "true or false");
    }
    return node.map(JsonNode::booleanValue).orElse(otherwise);
  }

  Optional<Long> size(String name) throws RequestRefused {
    Optional<JsonNode> node = node(name);
    if (node.isEmpty()) {
      return Optional.empty();
    }
    JsonNode value = node.get();
    if (value.isIntegralNumber() && value.canConvertToLong() && value.longValue() >= 0) {
      return Optional.of(value.longValue());
    }
    try {
      if (value.isTextual()) {
        return Optional.of(ByteSize.parse(value.textValue()));
      }
    } catch (IllegalArgumentException e) {
      // told below, with the field's name
    }
    throw refused(name, value, ByteSize.EXPECTED);
  }

  Optional<Duration> duration(String name) throws RequestRefused {
    Optional<JsonNode> node = node(name);
    if (node.isEmpty()) {
      return Optional.empty();
    }
    try {
      if (node.get().isTextual()) {
        return Optional.of(Durations.parse(node.get().textValue()));
      }
    } catch (IllegalArgumentException e) {
      // told below, with the field's name
    }
    throw refused(name, node.get(), Durations.EXPECTED);
  }

  /**
   * The entries of an array; none if it is absent.
   *
   * @param what they are, for who is refused
   */
  Iterable<JsonNode> list(String name, int maxCount, String what) throws RequestRefused {
    Optional<JsonNode> node = node(name);
    if (node.isPresent() && (!node.get().isArray() || node.get().size() > maxCount)) {
      throw refused(name, node.get(), "an array of at most " + maxCount + " " + what);
    }
    return node.<Iterable<JsonNode>>map(array -> array).orElse(List.of());
  }

  List<String> texts(String name, int maxCount, int maxLength) throws RequestRefused {
    List<String> texts = new ArrayList<>();
    for (JsonNode entry : list(name, maxCount, "strings")) {
      if (!entry.isTextual() || entry.textValue().length() > maxLength) {
        String at = name + "[" + texts.size() + "]";
        throw refused(at, entry, "a string of at most " + maxLength + " characters");
      }
      texts.add(entry.textValue());
    }
    return List.copyOf(texts);
  }

  /** The entries of an object; none if it is absent. */
  Set<Map.Entry<String, JsonNode>> entries(String name) throws RequestRefused {
    Optional<JsonNode> node = node(name);
    if (node.isEmpty()) {
      return Set.of();
    }
    if (!node.get().isObject()) {
      throw refused(name, node.get(), "an object of strings");
    }
    if (node.get().has("")) {
      throw refused(name, "an empty name", "a name for each entry");
    }
    return node.get().properties();
  }

  Map<String, String> map(String name) throws RequestRefused {
    Map<String, String> map = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> entry : entries(name)) {
      if (!entry.getValue().isTextual()) {
        throw refused(name + "." + entry.getKey(), entry.getValue(), "a string");
      }
      map.put(entry.getKey(), entry.getValue().textValue());
    }
    return map;
  }

  <E extends Enum<E>> E choice(String name, Class<E> type, E otherwise) throws RequestRefused {
    Optional<JsonNode> node = node(name);
    if (node.isEmpty()) {
      return otherwise;
    }
    for (E constant : type.getEnumConstants()) {
      if (node.get().isTextual() && spelled(constant).equals(node.get().textValue())) {
        return constant;
      }
    }
    List<String> names = Arrays.stream(type.getEnumConstants()).map(FieldReader::spelled).toList();
    throw refused(name, node.get(), "one of " + String.join(", ", names));
  }

  private static String spelled(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  RequestRefused refused(String name, JsonNode value, String expected) {
    return refused(name, value.toString(), expected);
  }

  RequestRefused refused(String name, String value, String expected) {
    return new RequestRefused(id, path.isEmpty() ? name : path + "." + name, value, expected);
  }
}
