package io.stoker.cli.top;

import java.util.OptionalInt;

/**
 * Divides the room of a line.
 *
 * @param columns characters of a line; empty for any number
 */
record Layout(OptionalInt columns) {
  private static final int NARROW = 80;
  private static final int WIDE = 120;
  private static final int LONG_BAR = 20;
  private static final int SHORT_BAR = 8;

  /** No room for what is merely nice. */
  boolean narrow() {
    return columns.isPresent() && columns.getAsInt() < NARROW;
  }

  /** Room for everything. */
  boolean roomy() {
    return columns.isEmpty() || columns.getAsInt() >= WIDE;
  }

  /** Characters of a bar; 0 for none. */
  int bar() {
    if (narrow()) {
      return 0;
    }
    return roomy() ? LONG_BAR : SHORT_BAR;
  }

  /** A text in lines that fit. */
  String wrapped(String text) {
    if (columns.isEmpty()) {
      return text;
    }
    StringBuilder lines = new StringBuilder();
    int length = 0;
    for (String word : text.split(" ")) {
      boolean fits = length + 1 + word.length() <= columns.getAsInt();
      if (length > 0) {
        lines.append(fits ? ' ' : '\n');
        length = fits ? length + 1 : 0;
      }
      lines.append(word);
      length += word.length();
    }
    return lines.toString();
  }
}
