package io.stoker.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Reads the value of a job that a person gives. */
public final class Values {
  private Values() {}

  /** One number, or several as an array; nothing for none. */
  public static Optional<JsonNode> numbers(List<String> words) {
    List<JsonNode> numbers = words.stream().map(Values::number).toList();
    if (numbers.size() < 2) {
      return numbers.stream().findFirst();
    }
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    numbers.forEach(all::add);
    return Optional.of(all);
  }

  private static JsonNode number(String word) {
    JsonNode value = read(word, "VALUE", "a number; --result takes any JSON");
    if (!value.isNumber()) {
      throw wrong(word, "VALUE", "a number; --result takes any JSON");
    }
    return value;
  }

  public static JsonNode json(String text) {
    return read(text, "--result", "JSON");
  }

  private static JsonNode read(String text, String what, String expected) {
    try {
      return Json.read(text.getBytes(StandardCharsets.UTF_8));
    } catch (MalformedJson e) {
      throw wrong(text, what, expected);
    }
  }

  private static CliException wrong(String text, String what, String expected) {
    return CliException.usage("%s is %s, expected %s".formatted(what, text, expected));
  }
}
