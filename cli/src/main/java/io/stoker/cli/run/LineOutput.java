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
  private final Map<Source, StringBuilder> begun = new LinkedHashMap<>();
  private final Deque<Line> kept = new ArrayDeque<>();
  private Terminals terminals = Terminals.NONE;
  private long skip;
  private long lines;

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
    String text = wish.raw() ? chunk.text() : protocol.seen(chunk);
    if (text == null) {
      return;
    }
    Source source = new Source(chunk.rank(), chunk.stream());
    StringBuilder line = begun.computeIfAbsent(source, none -> new StringBuilder());
    line.append(text);
    int end = line.indexOf("\n");
    while (end >= 0) {
      line(chunk, line.substring(0, end));
      line.delete(0, end + 1);
      end = line.indexOf("\n");
    }
    if (chunk.last() && !line.isEmpty()) {
      line(chunk, line.toString());
      line.setLength(0);
    }
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
    begun.forEach(
        (source, rest) -> {
          if (!rest.isEmpty()) {
            print(new Line("stderr".equals(source.stream()), wish.prefix() + rest + "\n"));
          }
        });
    begun.clear();
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
