package io.stoker.common.output;

import io.stoker.common.message.LogChunk;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes whole lines of what the members of a gang write, each with its member's rank and host
 * before it: {@code [0 node-a] …}. A line whose end has not come yet is held back, so that what
 * others write meanwhile does not get into it.
 *
 * <p>Each member's chunks are to come once and in order.
 */
public final class MemberLines {
  /** Characters of a line without end that are held back; beyond that, it is shown as it is. */
  static final int MOST_HELD = 64 * 1024;

  /** Goes back to the line's beginning, and writes over it. */
  private static final Pattern RETURN = Pattern.compile("\r(?=.)");

  /** Whose line it is. */
  private record Source(int attempt, int rank, String stream) {}

  /**
   * What may be shown.
   *
   * @param stream {@code stdout} or {@code stderr}
   * @param text lines with their newlines
   */
  public record Shown(String stream, String text) {}

  /** A line without its end. */
  private record Held(String prefix, String text) {}

  private final SortedMap<Source, Held> held =
      new TreeMap<>(
          Comparator.comparingInt(Source::attempt)
              .thenComparingInt(Source::rank)
              .thenComparing(Source::stream));

  /** What stands before each line of a member. */
  public static String prefix(LogChunk chunk) {
    return "[" + chunk.rank() + (chunk.host() == null ? "" : " " + chunk.host()) + "] ";
  }

  /** What a member's chunk completes. */
  public List<Shown> take(LogChunk chunk) {
    List<Shown> shown = new ArrayList<>();
    if (chunk.text() != null && !chunk.text().isEmpty()) {
      take(chunk, shown);
    }
    if (chunk.last()) {
      Source first = new Source(chunk.attempt(), chunk.rank(), "");
      Source next = new Source(chunk.attempt(), chunk.rank() + 1, "");
      giveUp(held.subMap(first, next), shown);
    }
    return shown;
  }

  private void take(LogChunk chunk, List<Shown> shown) {
    Source source = new Source(chunk.attempt(), chunk.rank(), chunk.stream());
    String prefix = prefix(chunk);
    Held before = held.remove(source);
    String text = before == null ? chunk.text() : before.text() + chunk.text();
    int end = text.lastIndexOf('\n') + 1;
    if (text.length() - end > MOST_HELD) {
      end = text.length();
    }
    if (end > 0) {
      shown.add(new Shown(chunk.stream(), named(prefix, text.substring(0, end))));
    }
    if (end < text.length()) {
      held.put(source, new Held(prefix, text.substring(end)));
    }
  }

  /** What was still held back, when nothing more comes. */
  public List<Shown> rest() {
    List<Shown> shown = new ArrayList<>();
    giveUp(held, shown);
    return shown;
  }

  private static void giveUp(SortedMap<Source, Held> lines, List<Shown> shown) {
    for (Map.Entry<Source, Held> line : lines.entrySet()) {
      Held left = line.getValue();
      shown.add(new Shown(line.getKey().stream(), named(left.prefix(), left.text())));
    }
    lines.clear();
  }

  private static String named(String prefix, String text) {
    String whole = text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    StringBuilder named = new StringBuilder();
    for (String line : whole.split("\n", -1)) {
      named.append(prefix).append(again(prefix, line)).append('\n');
    }
    return named.toString();
  }

  /** A bar that is drawn over itself does not draw over the name. */
  private static String again(String prefix, String line) {
    return line.indexOf('\r') < 0
        ? line
        : RETURN.matcher(line).replaceAll(Matcher.quoteReplacement("\r" + prefix));
  }
}
