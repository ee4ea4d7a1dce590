package io.stoker.dispatcher.kinds;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Map;

/**
 * The content of a file, and where it stands there.
 *
 * @param lines by path ({@code kinds.classifier.command[2]}), from 1
 */
public record Located(JsonNode tree, Map<String, Integer> lines) {
  /** The line of a value, or of the nearest one around it that is there. */
  int line(String path) {
    String at = path;
    while (!at.isEmpty()) {
      Integer line = lines.get(at);
      if (line != null) {
        return line;
      }
      int cut = Math.max(at.lastIndexOf('.'), at.lastIndexOf('['));
      at = cut < 0 ? "" : at.substring(0, cut);
    }
    return lines.getOrDefault("", 1);
  }
}
