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
    return terminal(false, false, false);
  }

  public Terminal coloured() {
    return terminal(true, false, false);
  }

  /** Lines may be drawn again, and what it is asked for goes elsewhere. */
  public Terminal live() {
    return terminal(false, false, true);
  }

  /** What it is asked for may be drawn again, and lines go elsewhere. */
  public Terminal redrawn() {
    return terminal(false, true, false);
  }

  public String out() {
    return out.toString();
  }

  public String err() {
    return err.toString();
  }

  private Terminal terminal(boolean colours, boolean redraws, boolean live) {
    return new Terminal(
        new PrintWriter(out, true), new PrintWriter(err, true), colours, redraws, live);
  }
}
