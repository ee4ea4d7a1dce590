package io.stoker.cli.terminal;

import io.stoker.common.text.PlainText;
import java.io.PrintWriter;
import java.util.OptionalInt;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The output of a command: what it was asked for goes to {@code out}, everything else to {@code
 * err}.
 *
 * @param colours whether {@code out} shows colours
 * @param redraws whether lines on {@code out} may be drawn again in place
 * @param live whether those on {@code err} may be
 */
public record Terminal(
    PrintWriter out, PrintWriter err, boolean colours, boolean redraws, boolean live) {
  /** Set by the launcher when standard output is a terminal. */
  public static final String OUTPUT_PROPERTY = "stoker.terminal";

  /** Set by the launcher when standard error is a terminal. */
  static final String ERROR_PROPERTY = "stoker.terminal.error";

  /** Set by the launcher when standard input is a terminal. */
  private static final String INPUT_PROPERTY = "stoker.terminal.input";

  /**
   * Characters in a line: what {@code COLUMNS} says, else what the terminal does; empty where
   * neither is there, and lines may be of any length.
   */
  public static OptionalInt columns() {
    return columns(Terminals.found().out());
  }

  /** The same of standard error. */
  public static OptionalInt errorColumns() {
    return columns(Terminals.found().err());
  }

  private static OptionalInt columns(boolean terminal) {
    OptionalInt named = namedColumns();
    return named.isPresent() || !terminal ? named : Screen.columns();
  }

  /** A line that is to be drawn again, short enough that none of these columns wraps it. */
  public static String unwrapped(String line, OptionalInt columns) {
    return columns.isEmpty() ? line : Format.TABLE.cut(line, Math.max(2, columns.getAsInt() - 1));
  }

  /** What {@code COLUMNS} says, if anything; costs nothing to ask. */
  public static OptionalInt namedColumns() {
    String named = System.getenv().getOrDefault("COLUMNS", "");
    return named.matches("[1-9]\\d{0,3}")
        ? OptionalInt.of(Integer.parseInt(named))
        : OptionalInt.empty();
  }

  /** Colours for a terminal whose user has not turned them off (https://no-color.org). */
  public static Ansi ansi() {
    boolean terminal = Terminals.found().out();
    String noColor = System.getenv().getOrDefault("NO_COLOR", "");
    boolean dumb = "dumb".equals(System.getenv("TERM"));
    return terminal && noColor.isEmpty() && !dumb ? Ansi.ON : Ansi.OFF;
  }

  /** Whether there is somebody to be asked. */
  public boolean asks() {
    return System.getProperty(INPUT_PROPERTY) != null && live;
  }

  /** What the launcher found, for the streams of a command. */
  public static Terminal of(CommandSpec spec) {
    CommandLine line = spec.commandLine();
    boolean dumb = "dumb".equals(System.getenv("TERM"));
    Terminals found = Terminals.found();
    return new Terminal(
        line.getOut(),
        line.getErr(),
        ansi() == Ansi.ON,
        found.out() && !dumb,
        found.err() && !dumb);
  }

  /** A text in a style, or as it is where there are no colours. */
  public String styled(Style style, String text) {
    return colours ? style.around(text) : text;
  }

  /** One line for people, beside the output, without what a terminal would obey. */
  public void note(String message) {
    err.println("stoker: " + PlainText.of(message));
    err.flush();
  }

  /** Printed lines are kept back for speed; from here they are seen. */
  public void flush() {
    out.flush();
    err.flush();
  }
}
