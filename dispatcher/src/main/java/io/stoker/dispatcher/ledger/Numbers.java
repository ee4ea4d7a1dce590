package io.stoker.dispatcher.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The numbers of a result: one that is a number has one, an array of numbers has these. */
public final class Numbers {
  private Numbers() {}

  /** Empty for a result that is something else. */
  public static List<Double> of(JsonNode result) {
    if (result.isNumber()) {
      return List.of(result.doubleValue());
    }
    List<Double> numbers = new ArrayList<>();
    if (result.isArray()) {
      for (JsonNode entry : result) {
        if (!entry.isNumber()) {
          return List.of();
        }
        numbers.add(entry.doubleValue());
      }
    }
    return numbers;
  }

  /** The first number of a result's text, if it is a number or an array of numbers. */
  public static OptionalDouble score(String result) {
    String text = result.strip();
    boolean array = text.startsWith("[") && text.endsWith("]");
    String numbers = array ? text.substring(1, text.length() - 1) : text;
    if (numbers.isBlank() || !numbers.chars().allMatch(c -> inNumbers(c, array))) {
      return OptionalDouble.empty();
    }
    int end = numbers.indexOf(',');
    return OptionalDouble.of(
        Double.parseDouble(end < 0 ? numbers.strip() : numbers.substring(0, end).strip()));
  }

  /** Of JSON, nothing but numbers is made of these alone. */
  private static boolean inNumbers(int c, boolean array) {
    return c >= '0' && c <= '9' || "+-.eE".indexOf(c) >= 0 || array && ", \t\r\n".indexOf(c) >= 0;
  }

  /** The first of them. */
  public static Optional<Double> score(JsonNode result) {
    return of(result).stream().findFirst();
  }
}
