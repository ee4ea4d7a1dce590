package io.stoker.simulation;

import static io.stoker.simulation.Must.hold;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.JsonRules;
import io.stoker.common.json.MalformedJson;
import java.util.List;

/** What jobs write, now and then nothing that could be signed, or stored, as it is. */
final class Words {
  private static final double HOSTILE = 0.2;

  private static final List<String> NOTES =
      List.of(
          "ValueError: a\0b",
          "x".repeat(499) + "\ud83d…",
          "\udc00\u001b[31m\u0007",
          "😀".repeat(4_000),
          "\0".repeat(1_000));

  private static final List<JsonNode> RESULTS =
      List.of(
          TextNode.valueOf("a\0b"),
          TextNode.valueOf("\u001b[1m😀\n"),
          nested(JsonRules.MAX_KEPT_NESTING),
          nested(JsonRules.MAX_KEPT_NESTING + 1));

  private Words() {}

  /** The last line of its errors. */
  static String note(Chance chance) {
    return chance.is(HOSTILE) ? chance.of(NOTES) : "ValueError: wrong";
  }

  /**
   * A result, or an intermediate one: those that cannot be stored are what an agent lets through
   * that does not look.
   */
  static JsonNode result(Chance chance, JsonNode usual) {
    return chance.is(HOSTILE) ? chance.of(RESULTS) : usual;
  }

  private static JsonNode nested(int levels) {
    JsonNode node = IntNode.valueOf(1);
    for (int i = 0; i < levels; i++) {
      node = Json.tree(List.of(node));
    }
    return node;
  }

  /** Postgres takes no NUL, and what is half of a character has no UTF-8. */
  static void holdStorable(String what, String text) {
    hold(
        text == null || JsonRules.storable(TextNode.valueOf(text)),
        "%s has text that cannot be stored: %s",
        what,
        text);
  }

  static void holdStorableJson(String what, String json) {
    try {
      hold(
          json == null || JsonRules.storable(Json.read(json)),
          "%s has a result that cannot be stored: %s",
          what,
          json);
    } catch (MalformedJson e) {
      throw new SimulationFailure(what + " has a result that is no JSON: " + json, e);
    }
  }
}
