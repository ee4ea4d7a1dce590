package io.stoker.cli.terminal;

import java.util.function.LongSupplier;

/**
 * One line that tells how far something is: drawn again in place on a terminal, and printed now and
 * then where there is none.
 */
public final class ProgressLine implements AutoCloseable {
  private static final long REDRAW_NANOS = 100_000_000L;
  private static final long PLAIN_NANOS = 5_000_000_000L;

  /** After so long the same is said again where there is no terminal, for who waits for a sign. */
  private static final long UNCHANGED_NANOS = 60_000_000_000L;

  private static final int WIDEST = 100;
  private static final String ERASE = "\r\u001b[K";

  private final Terminal terminal;
  private final LongSupplier nanos;
  private long next;
  private final int widest =
      Math.max(2, Math.min(WIDEST, Terminal.errorColumns().orElse(WIDEST + 1) - 1));
  private boolean drawn;
  private String said = "";
  private long saidAt;

  public ProgressLine(Terminal terminal) {
    this(terminal, System::nanoTime);
  }

  /**
   * @param nanos a clock that only rises
   */
  ProgressLine(Terminal terminal, LongSupplier nanos) {
    this.terminal = terminal;
    this.nanos = nanos;
    // In a pipe nobody waits for a first line: what is quick says nothing.
    this.next = nanos.getAsLong() + (terminal.live() ? 0 : PLAIN_NANOS);
  }

  /** Shows {@code text} unless something was shown a moment ago. */
  public void update(String text) {
    long now = nanos.getAsLong();
    if (now - next < 0) {
      return;
    }
    next = now + (terminal.live() ? REDRAW_NANOS : PLAIN_NANOS);
    if (terminal.live()) {
      terminal.err().print(ERASE + Format.TABLE.cut(text, widest));
      terminal.err().flush();
      drawn = true;
    } else if (!text.equals(said) || now - saidAt >= UNCHANGED_NANOS) {
      terminal.note(text);
      said = text;
      saidAt = now;
    }
  }

  /** Takes the line away; the next update draws it again. */
  @Override
  public void close() {
    if (drawn) {
      terminal.err().print(ERASE);
      terminal.err().flush();
      drawn = false;
    }
  }
}
