package io.stoker.cli.outcome;

/**
 * A failure that the user can do something about: it is printed as one message, without a stack
 * trace, and ends the command with its exit code.
 */
public class CliException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;

  protected CliException(int exitCode, String message, Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** The command did not do its work. */
  public static CliException failed(String message) {
    return new CliException(ExitCode.FAILED, message, null);
  }

  /** The command did not do its work, because of {@code cause}. */
  public static CliException failed(String message, Throwable cause) {
    return new CliException(ExitCode.FAILED, message, cause);
  }

  /** What was asked for is not possible; {@code message} names the option or field. */
  public static CliException usage(String message) {
    return new CliException(ExitCode.USAGE, message, null);
  }

  /** Kafka, the dispatcher or the local stack does not answer. */
  public static CliException unreachable(String message) {
    return new CliException(ExitCode.UNREACHABLE, message, null);
  }

  /** Kafka, the dispatcher or the local stack does not answer, because of {@code cause}. */
  public static CliException unreachable(String message, Throwable cause) {
    return new CliException(ExitCode.UNREACHABLE, message, cause);
  }

  /** Told to end by Ctrl-C, and it has. */
  public static CliException interrupted() {
    return new CliException(ExitCode.INTERRUPTED, "interrupted", null);
  }

  /** Nothing is known under an id that the user gave. */
  public static CliException unknownId(String message) {
    return new CliException(ExitCode.UNKNOWN_ID, message, null);
  }

  /** The same, with more to be said. */
  public CliException with(String more) {
    return new CliException(exitCode, getMessage() + more, this);
  }

  /** One of {@link ExitCode}. */
  public int exitCode() {
    return exitCode;
  }
}
