package io.stoker.cli.testing;

import io.stoker.cli.terminal.Terminal;
import java.io.PrintWriter;
import java.io.StringWriter;

/** A terminal whose texts can be read. */
public final class Screen {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  /** As in a pipe. */
  public Terminal plain() {
    return terminal(false, false);
  }

  public Terminal coloured() {
    return terminal(true, false);
  }

  /** Lines may be drawn again. */
  public Terminal live() {
    return terminal(false, true);
  }

  public String out() {
    return out.toString();
  }

  public String err() {
    return err.toString();
  }

  private Terminal terminal(boolean colours, boolean live) {
    return new Terminal(new PrintWriter(out, true), new PrintWriter(err, true), colours, live);
  }
}
