package io.stoker.common.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.text.PlainText;
import java.math.BigInteger;
import java.util.Map;
import java.util.Optional;

/**
 * What no JSON value of a request may hold, wherever it stands in it: NUL characters and lone
 * surrogates (Postgres stores neither), integers beyond ±2⁵³ and numbers beyond a double (RFC 8785
 * would merge them with others).
 */
public final class JsonRules {
  /**
   * Deepest nesting of a value that is kept: within a message, and within the messages that it goes
   * into later, it still is less than {@link Json#MAX_NESTING}, also for those who read them with
   * an earlier version.
   */
  public static final int MAX_KEPT_NESTING = Json.MAX_NESTING - 8;

  private static final BigInteger MAX_EXACT = BigInteger.ONE.shiftLeft(53);

  /** One broken rule: the path of the value, the value, and what was expected of it. */
  public record Violation(String path, String value, String expected) {
    /** What is wrong, in the order in which every error says it. */
    public String sentence() {
      return "%s: %s, expected %s".formatted(path, value, expected);
    }

    /** The same, as seen from outside of what {@code at} leads to. */
    private Violation under(String at) {
      String separator = path.isEmpty() || path.startsWith("[") ? "" : ".";
      return new Violation(at + separator + path, value, expected);
    }
  }

  private JsonRules() {}

  /**
   * Whether a value can be signed, stored and read by anybody: no NUL, no lone surrogate, no number
   * beyond a double, not nested deeper than {@value #MAX_KEPT_NESTING} levels. Results may hold any
   * integer, unlike requests, for they are never merged.
   */
  public static boolean storable(JsonNode node) {
    return unstorable(node).isEmpty();
  }

  /** What of a value is not {@link #storable}, the first in document order, if anything is. */
  public static Optional<Violation> unstorable(JsonNode node) {
    return nests(node, MAX_KEPT_NESTING)
        ? Optional.of(
            new Violation("", "a value nested deeper", "at most " + MAX_KEPT_NESTING + " levels"))
        : check(node, "", false);
  }

  private static boolean nests(JsonNode node, int levels) {
    if (!node.isContainerNode()) {
      return false;
    }
    if (levels == 0) {
      return true;
    }
    for (JsonNode inner : node) {
      if (nests(inner, levels - 1)) {
        return true;
      }
    }
    return false;
  }

  /** The first violation in document order, if any. */
  public static Optional<Violation> check(JsonNode node, String path) {
    return check(node, path, true);
  }

  private static Optional<Violation> check(JsonNode node, String path, boolean merged) {
    return switch (node.getNodeType()) {
      case OBJECT -> checkObject(node, path, merged);
      case ARRAY -> checkArray(node, path, merged);
      case STRING -> checkText(node.textValue(), path);
      case NUMBER -> checkNumber(node, path, merged);
      default -> Optional.empty();
    };
  }

  private static Optional<Violation> checkObject(JsonNode node, String path, boolean merged) {
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      // Paths are put together once something is found, which is nearly never.
      Optional<Violation> found = checkText(field.getKey(), "");
      if (found.isEmpty()) {
        found = check(field.getValue(), "", merged);
      }
      if (found.isPresent()) {
        String at = path.isEmpty() ? field.getKey() : path + "." + field.getKey();
        return Optional.of(found.get().under(at));
      }
    }
    return Optional.empty();
  }

  private static Optional<Violation> checkArray(JsonNode node, String path, boolean merged) {
    for (int i = 0; i < node.size(); i++) {
      Optional<Violation> found = check(node.get(i), "", merged);
      if (found.isPresent()) {
        return Optional.of(found.get().under(path + "[" + i + "]"));
      }
    }
    return Optional.empty();
  }

  private static Optional<Violation> checkNumber(JsonNode node, String path, boolean merged) {
    if (merged && node.isIntegralNumber()) {
      return node.bigIntegerValue().abs().compareTo(MAX_EXACT) <= 0
          ? Optional.empty()
          : Optional.of(new Violation(path, node.asText(), "an integer within ±2^53"));
    }
    return Double.isFinite(node.doubleValue())
        ? Optional.empty()
        : Optional.of(new Violation(path, node.asText(), "a number that a double holds"));
  }

  private static Optional<Violation> checkText(String text, String path) {
    if (text.indexOf(0) >= 0) {
      return Optional.of(new Violation(path, "\\u0000", "text without NUL characters"));
    }
    return loneSurrogate(text)
        .map(c -> new Violation(path, PlainText.of(c.toString()), "text without lone surrogates"));
  }

  /** The first surrogate of a text that is not half of a pair. */
  static Optional<Character> loneSurrogate(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          return Optional.of(c);
        }
        i++;
      }
    }
    return Optional.empty();
  }
}
