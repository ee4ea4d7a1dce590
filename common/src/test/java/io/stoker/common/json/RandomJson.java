package io.stoker.common.json;

import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;
import java.util.StringJoiner;

/** Random JSON documents that stress a canonical form: white space, escapes, keys, numbers. */
final class RandomJson {
  private static final String[] CHARACTERS = {
    "a",
    "B",
    "z",
    "0",
    " ",
    "\u00e9",
    "\u20ac",
    "\ufb33",
    "\ud83d\ude00",
    "\ud800\udc00",
    "\udbff\udfff",
    "\ue000",
    "\uffff",
    "\u007f",
    "\u0080",
    "\u2028",
    "/"
  };
  private static final String[] ESCAPES = {
    "\\n", "\\t", "\\\"", "\\\\", "\\/", "\\u0000", "\\u001F", "\\u00e9", "\\uD83D\\uDE00", "\\b"
  };
  private static final String[] NUMBERS = {
    "0",
    "-0",
    "-0.0",
    "1e21",
    "1e-7",
    "9007199254740991",
    "-9007199254740992",
    "1E+2",
    "5e-324",
    "1.7976931348623157e308",
    "0.1",
    "123456789012345680000",
    "4.9E-324",
    "1e-6",
    "100e-2"
  };
  private static final String[] SPACES = {"", "", " ", "\n", "\t "};

  private final Random random;

  RandomJson(Random random) {
    this.random = random;
  }

  String document() {
    return space() + (random.nextBoolean() ? object(4) : array(4)) + space();
  }

  private String value(int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> pick("true", "false", "null");
      case 1, 2 -> text();
      case 3 -> NUMBERS[random.nextInt(NUMBERS.length)];
      case 4 -> Long.toString((random.nextLong() >> 10) >> random.nextInt(54));
      case 5 -> finite();
      case 6 -> object(depth - 1);
      default -> array(depth - 1);
    };
  }

  private String finite() {
    double value = Double.longBitsToDouble(random.nextLong());
    return Double.toString(Double.isFinite(value) ? value : random.nextGaussian());
  }

  private String object(int depth) {
    Set<String> keys = new LinkedHashSet<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      keys.add(keyText());
    }
    StringJoiner members = new StringJoiner(",", "{", "}");
    keys.forEach(key -> members.add(space() + '"' + key + '"' + space() + ":" + value(depth)));
    return members.toString();
  }

  private String array(int depth) {
    StringJoiner entries = new StringJoiner(",", "[", "]");
    for (int i = random.nextInt(5); i > 0; i--) {
      entries.add(space() + value(depth) + space());
    }
    return entries.toString();
  }

  /** Without escapes, so that two different keys are never the same one. */
  private String keyText() {
    StringBuilder key = new StringBuilder();
    for (int i = random.nextInt(4); i > 0; i--) {
      key.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
    }
    return key.toString();
  }

  private String text() {
    StringBuilder text = new StringBuilder("\"");
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(random.nextInt(3) == 0 ? pick(ESCAPES) : pick(CHARACTERS));
    }
    return text.append('"').toString();
  }

  private String space() {
    return pick(SPACES);
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }
}
