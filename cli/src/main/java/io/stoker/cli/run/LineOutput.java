package io.stoker.cli.run;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.terminal.Terminals;
import io.stoker.common.message.LogChunk;
import io.stoker.common.output.MemberLines;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/** A job's output by whole lines, each with what is wanted before it, and of all the last ones. */
public final class LineOutput {
  private final Wish wish;
  private final PrintStream out;
  private final PrintStream err;
  private final Protocol protocol = new Protocol();
  private final Map<Source, Begun> begun = new LinkedHashMap<>();
  private final Deque<Line> kept = new ArrayDeque<>();
  private Terminals terminals = Terminals.NONE;
  private long skip;
  private long lines;
  private int attempt;

  /**
   * What is wanted.
   *
   * @param prefix before each line, empty for none
   * @param timestamps whether lines begin with their time
   * @param raw whether what a job says to Stoker is shown too
   * @param named whether lines of a gang begin with who wrote them
   * @param tail the last so many lines are kept back to the {@link #end}; negative for all, at once
   */
  public record Wish(String prefix, boolean timestamps, boolean raw, boolean named, long tail) {}

  private record Source(Integer rank, String stream) {}

  /** A line that has not ended, and the last chunk of it. */
  private record Begun(LogChunk newest, String text) {}

  private record Line(boolean toErr, String text) {}

  public LineOutput(Wish wish, PrintStream out, PrintStream err) {
    this.wish = wish;
    this.out = out;
    this.err = err;
  }

  /** On terminals, a job's colours alone are obeyed, unless all is wanted raw. */
  public LineOutput on(Terminals terminals) {
    this.terminals = wish.raw() ? Terminals.NONE : terminals;
    return this;
  }

  /** Leaves out the first lines that would be written. */
  public LineOutput skipping(long lines) {
    skip = lines;
    return this;
  }

  /** Takes a chunk. Those of one job come in order, and none twice. */
  public void write(LogChunk chunk) {
    if (chunk.ofDispatcher()) {
      line(chunk, chunk.text().stripTrailing());
      return;
    }
    if (chunk.attempt() != attempt) {
      attempt = chunk.attempt();
      endLines();
    }
    String text = wish.raw() ? chunk.text() : protocol.seen(chunk);
    if (text == null) {
      return;
    }
    Source source = new Source(chunk.rank(), chunk.stream());
    Begun before = begun.remove(source);
    String all = before == null ? text : before.text() + text;
    int from = 0;
    for (int end = all.indexOf('\n'); end >= 0; end = all.indexOf('\n', from)) {
      line(chunk, all.substring(from, end));
      from = end + 1;
    }
    if (from < all.length()) {
      begun.put(source, new Begun(chunk, all.substring(from)));
    }
    if (chunk.last() && begun.containsKey(source)) {
      line(chunk, begun.remove(source).text());
    }
  }

  private void endLines() {
    begun.values().forEach(line -> line(line.newest(), line.text()));
    begun.clear();
  }

  /** How many have come that have ended. */
  public long lines() {
    return lines;
  }

  private void line(LogChunk chunk, String text) {
    lines++;
    if (skip > 0) {
      skip--;
      return;
    }
    String time =
        wish.timestamps()
            ? Instant.ofEpochMilli(chunk.at()).truncatedTo(ChronoUnit.MILLIS) + " "
            : "";
    String member = wish.named() && chunk.ofGang() ? MemberLines.prefix(chunk) : "";
    Line line =
        new Line("stderr".equals(chunk.stream()), wish.prefix() + time + member + text + "\n");
    if (wish.tail() < 0) {
      print(line);
    } else if (wish.tail() > 0) {
      if (kept.size() == wish.tail()) {
        kept.remove();
      }
      kept.add(line);
    }
  }

  /** Nothing more comes: a line that has not ended is written none the less. */
  public void end() {
    endLines();
    kept.forEach(this::print);
    kept.clear();
  }

  private void print(Line line) {
    PrintStream to = line.toErr() ? err : out;
    boolean seen = line.toErr() ? terminals.err() : terminals.out();
    String text = seen ? ColoursOnly.all(line.text()) : line.text();
    synchronized (out) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      to.write(bytes, 0, bytes.length);
      to.flush();
    }
    if (to.checkError()) {
      throw CliException.failed("nobody takes the output any more");
    }
  }
}
