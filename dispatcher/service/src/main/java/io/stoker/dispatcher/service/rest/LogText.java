package io.stoker.dispatcher.service.rest;

import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.output.MemberLines;
import io.stoker.common.output.MemberLines.Shown;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** How the chunks of one job's output are shown to one reader. */
final class LogText {
  private static final String CUT = "[the rest of the output is not kept]\n";

  private final boolean json;
  private final boolean named;
  private final boolean marks;
  private final MemberLines members = new MemberLines();

  /** Who has said that the rest of its output is not kept: each of its chunks says so from then. */
  private final Set<Writer> cut = new HashSet<>();

  /** Of what was shown last. */
  private int attempt = 1;

  /** Whether that ended within a line. */
  private boolean half;

  private record Writer(int attempt, Integer rank) {}

  /**
   * @param json a chunk a line
   * @param named whether lines of members of a gang say whose they are
   * @param marks whether a line of its own says where another attempt begins; not in JSON
   */
  LogText(boolean json, boolean named, boolean marks) {
    this.json = json;
    this.named = named;
    this.marks = marks;
  }

  String of(LogChunk chunk) {
    if (json) {
      return Json.text(chunk) + "\n";
    }
    if (chunk.ofDispatcher()) {
      String line = (half ? "\n" : "") + chunk.text();
      half = false;
      return line;
    }
    String shown = begun(chunk) + shown(chunk);
    half = shown.isEmpty() ? half : !shown.endsWith("\n");
    return shown;
  }

  /** What comes before the first that is shown of an attempt, unless it is the first of all. */
  private String begun(LogChunk chunk) {
    if (!marks || chunk.attempt() == attempt || plain(chunk).isEmpty()) {
      return "";
    }
    attempt = chunk.attempt();
    boolean byName = named && chunk.ofGang();
    String where = byName || chunk.host() == null ? "" : " on " + chunk.host();
    return (half ? "\n" : "") + rest() + "- attempt %d%s -\n".formatted(attempt, where);
  }

  private String shown(LogChunk chunk) {
    boolean byName = named && chunk.ofGang();
    String text = byName ? text(members.take(chunk)) : plain(chunk);
    if (!chunk.truncated() || !cut.add(new Writer(chunk.attempt(), chunk.rank()))) {
      return text;
    }
    return text + (byName ? MemberLines.prefix(chunk) : "") + CUT;
  }

  private static String plain(LogChunk chunk) {
    return chunk.text() == null ? "" : chunk.text();
  }

  /** What was held back for its line's end, when no more chunks come. */
  String rest() {
    return text(members.rest());
  }

  private static String text(List<Shown> shown) {
    return shown.stream().map(Shown::text).collect(Collectors.joining());
  }
}
