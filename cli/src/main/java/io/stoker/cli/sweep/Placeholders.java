package io.stoker.cli.sweep;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.cli.outcome.CliException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fills {@code ${params.x}} in the texts of a request. */
final class Placeholders {
  private static final Pattern PLACEHOLDER = Pattern.compile("\\$\\{params\\.([^}]+)}");

  private Placeholders() {}

  /**
   * A copy with all of them filled.
   *
   * @throws CliException with exit code 2 for a parameter that there is not
   */
  static JsonNode filled(JsonNode node, ObjectNode params) {
    return switch (node) {
      case TextNode text -> TextNode.valueOf(filled(text.textValue(), params));
      case ArrayNode array -> {
        ArrayNode copy = array.arrayNode();
        array.forEach(entry -> copy.add(filled(entry, params)));
        yield copy;
      }
      case ObjectNode object -> {
        ObjectNode copy = object.objectNode();
        object
            .properties()
            .forEach(field -> copy.set(field.getKey(), filled(field.getValue(), params)));
        yield copy;
      }
      default -> node;
    };
  }

  private static String filled(String text, ObjectNode params) {
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(found -> Matcher.quoteReplacement(value(found.group(1), params)));
  }

  private static String value(String name, ObjectNode params) {
    JsonNode value = params.get(name);
    if (value == null) {
      throw CliException.usage(
          "request: ${params.%s} names no parameter, expected one of %s"
              .formatted(
                  name,
                  String.join(", ", params.propertyStream().map(Map.Entry::getKey).toList())));
    }
    return value.isValueNode() ? value.asText() : value.toString();
  }
}
