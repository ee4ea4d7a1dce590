package io.stoker.dispatcher.model;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The numbers of a result: one that is a number has one, an array of numbers has these. The score
 * is the first of them, or what an object has as {@code score}. What a program printed in the place
 * of a number that is none is a text there: {@code "NaN"}, {@code "Infinity"} or {@code
 * "-Infinity"}. It counts among them, as NaN, and is never a score.
 */
public final class Numbers {
  private static final String SCORE = "score";
  private static final Set<String> NONE = Set.of("NaN", "Infinity", "-Infinity");

  /** What an array of numbers has between its brackets, the first being a number. */
  private static final Pattern ENTRIES =
      Pattern.compile("[-+.eE0-9]++(?:\\s*+,\\s*+(?:[-+.eE0-9]++|\"(?:NaN|-?Infinity)\"))*+");

  private Numbers() {}

  /** Empty for a result that is something else. */
  public static List<Double> of(JsonNode result) {
    List<Double> numbers = new ArrayList<>();
    for (JsonNode entry : result.isArray() ? result : List.of(result)) {
      if (entry.isNumber()) {
        numbers.add(entry.doubleValue());
      } else if (entry.isTextual() && NONE.contains(entry.textValue())) {
        numbers.add(Double.NaN);
      } else {
        return List.of();
      }
    }
    return numbers;
  }

  /** The score in a result's text, if it has one. */
  public static OptionalDouble score(String result) {
    String text = result.strip();
    if (text.startsWith("{")) {
      return Json.numberOf(text, SCORE);
    }
    boolean array = text.startsWith("[") && text.endsWith("]");
    String numbers = array ? text.substring(1, text.length() - 1).strip() : text;
    int end = numbers.indexOf(',');
    if (end >= 0 && !array || !ENTRIES.matcher(numbers).matches()) {
      return OptionalDouble.empty();
    }
    return OptionalDouble.of(
        Double.parseDouble(end < 0 ? numbers : numbers.substring(0, end).strip()));
  }

  /** NaN where no number was given in its place. */
  public static Optional<Double> score(JsonNode result) {
    return of(scoreIn(result)).stream().findFirst();
  }

  private static JsonNode scoreIn(JsonNode result) {
    return result.isObject() ? result.path(SCORE) : result;
  }

  /** Why a result has no score although numbers were meant, if so; a sentence for people. */
  public static Optional<String> noScore(JsonNode result) {
    JsonNode first = result.isArray() ? result.path(0) : scoreIn(result);
    return score(result)
        .filter(score -> score.isNaN())
        .map(score -> "its score is %s, which is no number: it has none".formatted(first.asText()));
  }
}
