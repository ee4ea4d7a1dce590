package io.stoker.dispatcher.ledger;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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

  /** The first of them. */
  public static Optional<Double> score(JsonNode result) {
    return of(result).stream().findFirst();
  }
}
