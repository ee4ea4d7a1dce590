package io.stoker.cli.outcome;

/** The exit codes of the {@code stoker} command. Scripts depend on them. */
public final class ExitCode {
  /** All done. */
  public static final int DONE = 0;

  /** The job or the command failed. */
  public static final int FAILED = 1;

  /** Bad usage or input; the message names the field. */
  public static final int USAGE = 2;

  /** The stack cannot be reached. */
  public static final int UNREACHABLE = 3;

  /** An id that nobody knows. */
  public static final int UNKNOWN_ID = 4;

  /** A wait lasted as long as it may, as {@code timeout} of the shell says it. */
  public static final int TIME_IS_UP = 124;

  /** The job that was run ended without an exit code of its own. */
  public static final int NO_EXIT_CODE = 125;

  /** As shells give it to a command that a Ctrl-C ended. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
