package io.stoker.dispatcher.status;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.dispatcher.model.Numbers;
import io.stoker.dispatcher.model.RequestRow;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * The numbers of a result: its score; of an array of numbers the others carry the request's {@code
 * resultLabels}.
 *
 * @param score null if the result has none
 * @param byLabel null unless labels and numbers fit
 */
record Scores(Double score, Map<String, Double> byLabel) {
  private static final Scores NONE = new Scores(null, null);

  /**
   * @param result JSON as it is stored, null if there is none. A tree is made of it only where its
   *     numbers have labels: many requests may have one large result
   */
  static Scores of(String result, RequestRow request) {
    OptionalDouble score = result == null ? OptionalDouble.empty() : Numbers.score(result);
    return score.isEmpty()
        ? NONE
        : new Scores(
            score.getAsDouble(), result.startsWith("[") ? labelled(result, request) : null);
  }

  private static Map<String, Double> labelled(String result, RequestRow request) {
    if (!request.inForce().contains("\"resultLabels\"")) {
      return null;
    }
    try {
      JsonNode labels = Json.read(request.inForce()).path("resultLabels");
      List<Double> numbers = Numbers.of(Json.read(result));
      if (labels.size() != numbers.size() - 1) {
        return null;
      }
      Map<String, Double> byLabel = new LinkedHashMap<>();
      for (int i = 0; i < labels.size(); i++) {
        if (!numbers.get(i + 1).isNaN()) {
          byLabel.put(labels.get(i).asText(), numbers.get(i + 1));
        }
      }
      return byLabel;
    } catch (MalformedJson e) {
      throw new IllegalStateException("a stored request cannot be read: " + request.id(), e);
    }
  }
}
