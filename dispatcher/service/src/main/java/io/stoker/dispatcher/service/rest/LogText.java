package io.stoker.dispatcher.service.rest;

import io.stoker.common.json.Json;
import io.stoker.common.message.LogChunk;
import io.stoker.common.output.MemberLines;
import io.stoker.common.output.MemberLines.Shown;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Shows the chunks of one job's output to one reader. */
final class LogText {
  /** The end of a line behind which another one begins. */
  private static final Pattern LINE = Pattern.compile("\n(?!\\z)");

  private static final String CUT = "[the rest of the output is not kept]\n";

  private final Set<With> with;
  private final MemberLines members = new MemberLines();

  /** Who has said that the rest of its output is not kept: each of its chunks says so from then. */
  private final Set<Writer> cut = new HashSet<>();

  /** Of what was shown last. */
  private int attempt = 1;

  /** Whether that ended within a line. */
  private boolean half;

  /** When the newest chunk was written, ms since 1970. */
  private long at;

  private record Writer(int attempt, Integer rank) {}

  /** What is shown, beside what the job wrote. */
  enum With {
    /** All of a chunk, as JSON, a line each; then nothing else. */
    JSON,
    /** Before lines of members of a gang whose they are. */
    NAMES,
    /** Before each line when its last piece was written. */
    TIMES,
    /** A line of its own where another attempt begins. */
    ATTEMPTS
  }

  LogText(Set<With> with) {
    this.with = with;
  }

  String of(LogChunk chunk) {
    if (with.contains(With.JSON)) {
      return Json.text(chunk) + "\n";
    }
    String shown =
        chunk.ofDispatcher() ? (half ? "\n" : "") + chunk.text() : begun(chunk) + shown(chunk);
    at = chunk.at();
    String timed = timed(shown);
    half = shown.isEmpty() ? half : !shown.endsWith("\n");
    return timed;
  }

  /** Whole lines and parts of them, with the time before each line that begins here if wanted. */
  private String timed(String shown) {
    if (!with.contains(With.TIMES)) {
      return shown;
    }
    String time = Instant.ofEpochMilli(at).truncatedTo(ChronoUnit.MILLIS) + " ";
    String lines = LINE.matcher(shown).replaceAll("$0" + time);
    return half || shown.isEmpty() ? lines : time + lines;
  }

  /** What comes before the first that is shown of an attempt, unless it is the first of all. */
  private String begun(LogChunk chunk) {
    if (!with.contains(With.ATTEMPTS) || chunk.attempt() == attempt || plain(chunk).isEmpty()) {
      return "";
    }
    attempt = chunk.attempt();
    boolean byName = with.contains(With.NAMES) && chunk.ofGang();
    String where = byName || chunk.host() == null ? "" : " on " + chunk.host();
    return (half ? "\n" : "")
        + text(members.rest())
        + "- attempt %d%s -\n".formatted(attempt, where);
  }

  private String shown(LogChunk chunk) {
    boolean byName = with.contains(With.NAMES) && chunk.ofGang();
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
    return timed(text(members.rest()));
  }

  private static String text(List<Shown> shown) {
    return shown.stream().map(Shown::text).collect(Collectors.joining());
  }
}
