package io.stoker.common.text;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Text that can be signed, sent, stored and shown everywhere, whatever it was made of: no NUL,
 * which Postgres does not store, no half of a surrogate pair, which has no UTF-8 and so no
 * signature, and no other control characters but newlines and tabs. What a job, a process, an
 * engine, a file or the system says passes through here before it goes into an event, a message of
 * a host or a status: the records of these messages see to that themselves, so that nobody can make
 * one, or read one of another version, that cannot be kept.
 *
 * <p>What is taken out stays visible, as {@code \}{@code u0000}. Text is cut between characters,
 * never inside of one; null stays null. What has passed once stays as it is.
 */
public final class PlainText {
  /** Characters (code points) of a sentence that a process or a host says. */
  public static final int LONGEST = 4_000;

  private static final String CUT = "…";
  private static final int ESCAPED = 6;

  private PlainText() {}

  /** All of a text. */
  public static String of(String text) {
    return of(text, Integer.MAX_VALUE);
  }

  /** The beginning of a text, {@value #LONGEST} characters at most. */
  public static String sentence(String text) {
    return of(text, LONGEST);
  }

  /**
   * The beginning of a text.
   *
   * @param most characters (code points); one that is cut ends with {@code …} behind them
   */
  public static String of(String text, int most) {
    if (text == null) {
      return null;
    }
    StringBuilder out = null; // most texts are plain already: nothing is copied then
    int points = 0;
    for (int at = 0; at < text.length(); ) {
      int point = text.codePointAt(at);
      boolean plain = isPlain(point);
      int width = plain ? 1 : ESCAPED;
      if (width > most - points) {
        return (out == null ? text.substring(0, at) : out.toString()) + CUT;
      }
      if (!plain && out == null) {
        out = new StringBuilder(text.length() + ESCAPED).append(text, 0, at);
      }
      if (out != null) {
        if (plain) {
          out.appendCodePoint(point);
        } else {
          out.append(escaped((char) point));
        }
      }
      points += width;
      at += Character.charCount(point);
    }
    return out == null ? text : out.toString();
  }

  /** Each of some texts. */
  public static List<String> of(List<String> texts) {
    if (texts == null) {
      return null;
    }
    for (String text : texts) {
      if (!isPlain(text)) {
        return texts.stream().map(PlainText::of).toList();
      }
    }
    return texts;
  }

  /** Names and values. */
  public static Map<String, String> of(Map<String, String> texts) {
    if (texts == null) {
      return null;
    }
    for (Map.Entry<String, String> text : texts.entrySet()) {
      if (!isPlain(text.getKey()) || !isPlain(text.getValue())) {
        Map<String, String> plain = new LinkedHashMap<>();
        texts.forEach((name, value) -> plain.put(of(name), of(value)));
        return plain;
      }
    }
    return texts;
  }

  /**
   * A job's output as it is, but that each half of a surrogate pair is replaced by U+FFFD: what
   * reads it may make of the other control characters what it likes.
   */
  public static String wellFormed(String output) {
    if (output == null || !hasHalf(output)) {
      return output;
    }
    StringBuilder out = new StringBuilder(output.length());
    output.codePoints().forEach(point -> out.appendCodePoint(isHalf(point) ? 0xFFFD : point));
    return out.toString();
  }

  private static boolean hasHalf(String text) {
    for (int at = 0; at < text.length(); ) {
      int point = text.codePointAt(at);
      if (isHalf(point)) {
        return true;
      }
      at += Character.charCount(point);
    }
    return false;
  }

  @SuppressWarnings("ReferenceEquality") // what is plain is not copied
  private static boolean isPlain(String text) {
    return of(text) == text;
  }

  private static boolean isPlain(int point) {
    return point >= ' ' && point < 0x7F
        || point > 0x9F && !isHalf(point)
        || point == '\n'
        || point == '\t';
  }

  private static boolean isHalf(int point) {
    return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
  }

  private static String escaped(char c) {
    return String.format("\\u%04x", (int) c);
  }
}
