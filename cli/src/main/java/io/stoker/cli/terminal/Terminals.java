package io.stoker.cli.terminal;

/**
 * Tells which of the two standard streams a person sees, for each alone: {@code stoker logs
 * 2>FILE}.
 *
 * @param out whether standard output is a terminal
 * @param err whether standard error is one
 */
public record Terminals(boolean out, boolean err) {
  public static final Terminals NONE = new Terminals(false, false);

  /** What the launcher found. */
  public static Terminals found() {
    return new Terminals(
        System.getProperty(Terminal.OUTPUT_PROPERTY) != null,
        System.getProperty(Terminal.ERROR_PROPERTY) != null);
  }
}
