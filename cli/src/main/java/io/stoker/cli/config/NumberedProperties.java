package io.stoker.cli.config;

import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;

/**
 * The settings of a properties file with the numbers of their lines, which Java's own reading
 * loses.
 */
final class NumberedProperties {
  private NumberedProperties() {}

  /**
   * A setting, or a line that is none.
   *
   * @param line its first one, from 1
   */
  record Entry(int line, String key, String value) {}

  /** A line that cannot be read. */
  static final class Malformed extends Exception {
    private static final long serialVersionUID = 1L;

    private final int line;

    Malformed(int line, String message) {
      super(message);
      this.line = line;
    }

    int line() {
      return line;
    }
  }

  /** All of them, in order, those too whose key comes again. */
  static List<Entry> read(String text) throws Malformed {
    String[] lines = text.split("\r\n|\r|\n", -1);
    List<Entry> entries = new ArrayList<>();
    int at = 0;
    while (at < lines.length) {
      int first = at;
      StringBuilder setting = new StringBuilder(lines[at++]);
      if (isComment(setting)) {
        continue;
      }
      while (goesOn(lines[at - 1]) && at < lines.length) {
        setting.append('\n').append(lines[at++]);
      }
      Properties one = load(first + 1, setting.toString());
      one.stringPropertyNames()
          .forEach(key -> entries.add(new Entry(first + 1, key, one.getProperty(key))));
    }
    return entries;
  }

  private static boolean isComment(CharSequence line) {
    String text = line.toString().stripLeading();
    return text.startsWith("#") || text.startsWith("!");
  }

  /** Whether it ends with a backslash that is not itself behind one. */
  private static boolean goesOn(String line) {
    int end = line.length();
    while (end > 0 && line.charAt(end - 1) == '\\') {
      end--;
    }
    return (line.length() - end) % 2 == 1;
  }

  private static Properties load(int line, String setting) throws Malformed {
    Properties one = new Properties();
    try {
      one.load(new StringReader(setting));
    } catch (IllegalArgumentException e) {
      throw new Malformed(line, "a \\u without four hexadecimal digits after it");
    } catch (IOException e) {
      throw new UncheckedIOException("a text is always read", e);
    }
    return one;
  }
}
