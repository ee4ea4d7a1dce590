package io.stoker.cli.input;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.cli.outcome.CliException;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Requests as JSON: one object, an array of them, or one object a line. */
final class JsonTexts {
  private JsonTexts() {}

  static List<Numbered> read(String source, String text) {
    List<String> lines = text.lines().toList();
    int filled = (int) lines.stream().filter(line -> !line.isBlank()).count();
    String first = lines.stream().filter(line -> !line.isBlank()).findFirst().orElseThrow();
    return filled > 1 && isObject(first) ? byLine(source, lines) : whole(source, text);
  }

  private static boolean isObject(String line) {
    return tryRead(line).filter(JsonNode::isObject).isPresent();
  }

  private static Optional<JsonNode> tryRead(String line) {
    try {
      return Optional.of(Json.read(line));
    } catch (MalformedJson e) {
      return Optional.empty();
    }
  }

  private static List<Numbered> byLine(String source, List<String> lines) {
    List<Numbered> requests = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).isBlank()) {
        String place = "%s, line %d".formatted(source, i + 1);
        requests.add(new Numbered(place, parse(place, lines.get(i))));
      }
    }
    return requests;
  }

  private static List<Numbered> whole(String source, String text) {
    return elements(source, parse(source, text));
  }

  /** A tree's requests: the tree itself, or those of an array. */
  static List<Numbered> elements(String source, JsonNode tree) {
    if (!tree.isArray()) {
      return List.of(new Numbered(source, tree));
    }
    List<Numbered> requests = new ArrayList<>();
    for (int i = 0; i < tree.size(); i++) {
      requests.add(new Numbered("%s, request %d".formatted(source, i + 1), tree.get(i)));
    }
    return requests;
  }

  private static JsonNode parse(String place, String text) {
    try {
      return Json.read(text);
    } catch (MalformedJson e) {
      throw CliException.usage("%s is no JSON: %s".formatted(place, e.getMessage()));
    }
  }
}
