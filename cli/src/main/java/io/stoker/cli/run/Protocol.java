package io.stoker.cli.run;

import io.stoker.common.message.LogChunk;
import java.util.HashMap;
import java.util.Map;

/**
 * Takes out of a job's output the lines by which it speaks to Stoker: {@code #stoker:progress} and
 * the like. They are read by others already, and {@code stoker results} shows what they said.
 */
final class Protocol {
  private static final String MARK = "#stoker:";

  private final Map<Integer, Line> members = new HashMap<>();
  private int attempt;

  /** Where the last chunk of a member left off. */
  private static final class Line {
    /** What may become the mark, at the beginning of a line. */
    private String held = "";

    private boolean begins = true;
    private boolean hidden;
  }

  /** What of a chunk is to be seen; it is of the same stream. */
  String seen(LogChunk chunk) {
    if (chunk.text() == null || "stderr".equals(chunk.stream())) {
      return chunk.text();
    }
    if (chunk.attempt() != attempt) {
      attempt = chunk.attempt();
      members.clear();
    }
    Line line = members.computeIfAbsent(chunk.rank(), none -> new Line());
    StringBuilder seen = new StringBuilder();
    String text = line.held + chunk.text();
    line.held = "";
    int at = 0;
    while (at < text.length()) {
      int end = text.indexOf('\n', at);
      String part = text.substring(at, end < 0 ? text.length() : end + 1);
      at += part.length();
      if (line.begins && end < 0 && !chunk.last() && MARK.startsWith(part)) {
        line.held = part;
        break;
      }
      if (line.begins) {
        line.hidden = part.startsWith(MARK);
      }
      if (!line.hidden) {
        seen.append(part);
      }
      line.begins = end >= 0;
    }
    return seen.toString();
  }
}
