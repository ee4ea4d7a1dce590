package io.stoker.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.OptionalDouble;

/** A job's progress message as a fraction. */
final class Progress {
  private Progress() {}

  /**
   * @param progress a number of 0 to 1, or {@code {"done", "total"}}; anything else tells nothing
   */
  static OptionalDouble fraction(JsonNode progress) {
    if (progress == null) {
      return OptionalDouble.empty();
    }
    if (progress.isNumber()) {
      return OptionalDouble.of(progress.doubleValue());
    }
    double total = progress.path("total").asDouble(0);
    return total > 0
        ? OptionalDouble.of(progress.path("done").asDouble(0) / total)
        : OptionalDouble.empty();
  }
}
