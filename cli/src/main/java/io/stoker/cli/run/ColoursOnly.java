package io.stoker.cli.run;

import io.stoker.common.text.PlainText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Filters a job's output for a terminal, piece by piece: colours, tabs, newlines and carriage
 * returns pass, and whatever else the terminal would obey is shown as its code: nobody's job sets a
 * title, fills a clipboard or asks the terminal to type something.
 */
final class ColoursOnly {
  /** Of a sequence that has not ended; a longer one is no colour. */
  private static final int LONGEST = 64;

  private static final Pattern PASSES = Pattern.compile("\r|\u001b\\[[0-9;:]{0,60}m");

  /** At the end of a piece: the next one tells whether it is a colour. */
  private static final Pattern BEGUN = Pattern.compile("\u001b(\\[[0-9;:]*)?\\z");

  private String held = "";

  /** What to write of the next piece. */
  String shown(String piece) {
    String text = held + piece;
    Matcher begun = BEGUN.matcher(text);
    int end =
        begun.find() && text.length() - begun.start() < LONGEST ? begun.start() : text.length();
    held = text.substring(end);
    return all(text.substring(0, end));
  }

  /** What was kept back, when nothing more comes. */
  String rest() {
    String rest = all(held);
    held = "";
    return rest;
  }

  /** What to write of a text that is whole. */
  static String all(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    Matcher passes = PASSES.matcher(text);
    int at = 0;
    while (passes.find()) {
      shown.append(PlainText.of(text.substring(at, passes.start()))).append(passes.group());
      at = passes.end();
    }
    return shown.append(PlainText.of(text.substring(at))).toString();
  }
}
