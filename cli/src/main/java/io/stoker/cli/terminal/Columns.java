package io.stoker.cli.terminal;

import picocli.CommandLine.Help.Ansi;

/** Counts the columns of a terminal that text takes: Chinese characters and emoji take two. */
final class Columns {
  /** No character before this one is wide. */
  private static final char FIRST_WIDE = 0x1100;

  private Columns() {}

  static int of(String text) {
    if (text.chars().allMatch(one -> one < FIRST_WIDE)) {
      return text.length();
    }
    // Without "@", which begins a style there.
    int withoutEmoji = Ansi.OFF.new Text(text.replace('@', ' ')).getCJKAdjustedLength();
    return withoutEmoji + (int) text.codePoints().filter(Character::isEmojiPresentation).count();
  }

  /**
   * A text that is cut if it is wider than that, with a sign that it goes on.
   *
   * @param most columns, 1 or more
   */
  static String cut(String text, int most) {
    if (of(text) <= most) {
      return text;
    }
    int end = Math.min(text.length(), most - 1);
    while (splits(text, end) || of(text.substring(0, end)) > most - 1) {
      end--;
    }
    return text.substring(0, end).stripTrailing() + "…";
  }

  /** Whether two halves of one character are on both sides. */
  private static boolean splits(String text, int at) {
    return at > 0
        && at < text.length()
        && Character.isSurrogatePair(text.charAt(at - 1), text.charAt(at));
  }
}
