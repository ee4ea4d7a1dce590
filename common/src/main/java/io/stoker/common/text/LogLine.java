package io.stoker.common.text;

import java.io.PrintWriter;
import java.io.StringWriter;

/**
 * What a program's own log says of texts that others have written: none of them begins a line of
 * it, which would pass for the program's own, or tells a terminal what to do.
 */
public final class LogLine {
  private LogLine() {}

  /** A message in a single line; what is taken out stays visible, as {@code \}{@code u000a}. */
  public static String message(String text) {
    return PlainText.of(text).replace("\n", "\\u000a");
  }

  /** Where a failure and its causes come from; each line but the first begins with a tab. */
  public static String trace(Throwable failure) {
    StringWriter lines = new StringWriter();
    failure.printStackTrace(new PrintWriter(lines));
    String text = lines.toString().stripTrailing().replace(System.lineSeparator(), "\n");
    return PlainText.of(text).replaceAll("\n(?!\t)", "\n\t");
  }
}
