package io.stoker.cli.run;

import io.stoker.cli.outcome.CliException;
import io.stoker.cli.terminal.Terminals;
import io.stoker.common.message.LogChunk;
import io.stoker.common.output.MemberLines;
import io.stoker.common.output.MemberLines.Shown;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A job's output on its way to the streams it belongs to. The logs topic keeps a job's chunks, or
 * those of each member of a gang, in order, but may repeat them. Lines of members begin with the
 * rank and the host of theirs.
 */
public final class JobOutput {
  private static final String STDERR = "stderr";
  private static final String CUT = "stoker: the log reached its limit; the rest is left out\n";

  private final OutputStream out;
  private final OutputStream err;
  private final boolean named;
  private final MemberLines lines = new MemberLines();
  private final Protocol protocol = new Protocol();
  private final boolean raw;
  private final ColoursOnly outShown = new ColoursOnly();
  private final ColoursOnly errShown = new ColoursOnly();
  private Terminals terminals = Terminals.NONE;

  /** How far the attempt's members have been written; the one of a job on one host is null. */
  private final Map<Integer, Written> members = new HashMap<>();

  private int attempt;

  private static final class Written {
    private int next;
    private boolean complete;
    private boolean cut;
  }

  /**
   * @param named whether lines of a gang begin with who wrote them
   * @param raw whether what a job says to Stoker is shown too
   */
  public JobOutput(OutputStream out, OutputStream err, boolean named, boolean raw) {
    this.out = out;
    this.err = err;
    this.named = named;
    this.raw = raw;
  }

  /** Of all who write it. */
  public JobOutput(OutputStream out, OutputStream err) {
    this(out, err, true, false);
  }

  /** On terminals, a job's colours alone are obeyed, unless all is wanted raw. */
  public JobOutput on(Terminals terminals) {
    this.terminals = raw ? Terminals.NONE : terminals;
    return this;
  }

  /** Writes what is new in a chunk. */
  public void write(LogChunk given) {
    if (given.ofDispatcher()) {
      write(STDERR, "\n" + given.text());
      return;
    }
    LogChunk chunk = given;
    if (chunk.attempt() > attempt) {
      attempt = chunk.attempt();
      members.clear();
      end();
    }
    Written written = members.computeIfAbsent(chunk.rank(), none -> new Written());
    if (chunk.attempt() < attempt || chunk.n() < written.next) {
      return;
    }
    written.next = chunk.n() + 1;
    written.complete = chunk.last();
    if (!raw) {
      chunk = given.withText(protocol.seen(given));
    }
    boolean byName = named && chunk.ofGang();
    if (byName) {
      write(lines.take(chunk));
    } else if (chunk.text() != null) {
      write(chunk.stream(), chunk.text());
    }
    if (chunk.last() && !byName) {
      endEscapes();
    }
    if (chunk.truncated() && !written.cut) {
      written.cut = true; // all that follow say so, too
      write(STDERR, byName ? MemberLines.prefix(chunk) + CUT : "\n" + CUT);
    }
  }

  /** Nothing more comes: a line that has not ended is written none the less. */
  public void end() {
    write(lines.rest());
    endEscapes();
  }

  private void endEscapes() {
    put(out, outShown.rest());
    put(err, errShown.rest());
  }

  /**
   * Whether the attempt has written everything it ever writes.
   *
   * @param size how many members it has; 1 for a job on one host
   */
  public boolean isComplete(int ofAttempt, int size) {
    long complete = members.values().stream().filter(member -> member.complete).count();
    return attempt == ofAttempt && complete >= size || attempt > ofAttempt;
  }

  private void write(List<Shown> shown) {
    shown.forEach(one -> write(one.stream(), one.text()));
  }

  private void write(String stream, String text) {
    if (STDERR.equals(stream)) {
      put(err, terminals.err() ? errShown.shown(text) : text);
    } else {
      put(out, terminals.out() ? outShown.shown(text) : text);
    }
  }

  private static void put(OutputStream to, String text) {
    if (text.isEmpty()) {
      return;
    }
    try {
      // Bytes, for a job writes UTF-8 whatever this terminal's encoding is.
      to.write(text.getBytes(StandardCharsets.UTF_8));
      to.flush();
      if (to instanceof PrintStream hushed && hushed.checkError()) {
        throw CliException.failed("nobody takes the output any more");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
