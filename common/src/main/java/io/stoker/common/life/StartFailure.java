package io.stoker.common.life;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.util.regex.Pattern;

/** Says why a service does not start: in one line where that is for the person who set it up. */
public final class StartFailure {
  /**
   * Tells whoever supervises a process that no restart helps before a setting is changed: {@code
   * EX_CONFIG} of {@code sysexits.h}.
   */
  public static final int MISCONFIGURED = 78;

  /** What the line begins with. */
  public static final String SAID = "cannot start: ";

  private static final int FAILED = 1;
  private static final String OURS = "io.stoker.";

  /** Of the library that reads settings: its exceptions name the value that it cannot convert. */
  private static final String READER = "io.smallrye.config.";

  private static final Pattern UNCONVERTED =
      Pattern.compile(
          "\\S+: SRCFG00039: The config property (\\S+) with the config value \"(.*)\""
              + " threw an Exception whilst being converted (?:SRCFG\\d+: )?(.*)");

  private StartFailure() {}

  /**
   * Ends this process, and says why it does not start if that is the reason.
   *
   * @param code the exit code otherwise
   * @param failure null if it has started
   */
  public static void end(int code, Throwable failure) {
    boolean whole = System.getenv("STOKER_DEBUG") != null;
    System.exit(failure == null ? code : say(failure, whole, System.err));
  }

  /**
   * Prints it.
   *
   * @param failure as it was caught: what we refused may be anywhere among its causes
   * @param whole whether its stack trace is wanted in any case; that of what nobody foresaw is
   *     always printed
   * @return the exit code to end with
   */
  static int say(Throwable failure, boolean whole, PrintStream to) {
    Throwable said = failure;
    while (said != null && !isRefusal(said)) {
      said = said.getCause();
    }
    if (said == null || whole) {
      failure.printStackTrace(to);
    }
    if (said == null) {
      return FAILED;
    }
    to.printf("%s%s%n", SAID, oneLine(said.getMessage()));
    boolean setting = said instanceof IllegalArgumentException || isOf(READER, said);
    return setting ? MISCONFIGURED : FAILED;
  }

  private static String oneLine(String message) {
    return UNCONVERTED
        .matcher(message)
        .replaceAll("$1 is $2, $3")
        .replaceFirst("^Configuration validation failed:\\s*", "")
        .replaceAll("\\s*\\R\\s*", "; ");
  }

  private static boolean isOf(String packages, Throwable failure) {
    return failure.getClass().getName().startsWith(packages);
  }

  /**
   * Whether it has a message for people: a setting is wrong, a port taken, or our code threw it.
   */
  private static boolean isRefusal(Throwable failure) {
    if (failure instanceof BindException || isOf(READER, failure)) {
      return true;
    }
    StackTraceElement[] from = failure.getStackTrace();
    boolean foreseen =
        failure instanceof IllegalArgumentException
            || failure instanceof IllegalStateException
            || failure instanceof IOException
            || failure instanceof UncheckedIOException
            || isOf(OURS, failure);
    return foreseen
        && failure.getMessage() != null
        && from.length > 0
        && from[0].getClassName().startsWith(OURS);
  }
}
