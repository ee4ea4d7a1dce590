package io.stoker.cli.terminal;

import io.stoker.cli.Main;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/**
 * Where a command writes: what it was asked for to {@code out}, everything else to {@code err}.
 *
 * @param colours whether {@code out} shows colours
 * @param live whether lines on {@code err} may be drawn again in place
 */
public record Terminal(PrintWriter out, PrintWriter err, boolean colours, boolean live) {
  /** Set by the launcher when standard error is a terminal. */
  private static final String ERROR_PROPERTY = "stoker.terminal.error";

  /** What the launcher found, for the streams of a command. */
  public static Terminal of(CommandSpec spec) {
    CommandLine line = spec.commandLine();
    boolean live =
        System.getProperty(ERROR_PROPERTY) != null && !"dumb".equals(System.getenv("TERM"));
    return new Terminal(line.getOut(), line.getErr(), Main.ansi() == Ansi.ON, live);
  }

  /** A text in a style, or as it is where there are no colours. */
  public String styled(Style style, String text) {
    return colours ? style.around(text) : text;
  }

  /** One line for people, beside the output. */
  public void note(String message) {
    err.println("stoker: " + message);
    err.flush();
  }

  /** Printed lines are kept back for speed; from here they are seen. */
  public void flush() {
    out.flush();
    err.flush();
  }
}
