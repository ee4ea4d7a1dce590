package io.stoker.agent.runner;

import com.fasterxml.jackson.databind.JsonNode;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Results that programs write which are almost JSON: {@code 0.1,0.2}, a list without its brackets,
 * and the words that C and Python print for what is no number, alone or anywhere in JSON ({@code
 * NaN}, {@code inf}, {@code {"loss": NaN}}). JSON has no such numbers: they are kept as the texts
 * {@code "NaN"}, {@code "Infinity"} and {@code "-Infinity"}.
 */
final class ResultText {
  /** A text of JSON, which stays as it is, or such a word. */
  private static final Pattern WORD =
      Pattern.compile(
          "\"(?:[^\"\\\\]|\\\\.)*+\"|(?<![\\w.])([-+]?)(nan|inf(?:inity)?)(?![\\w.])",
          Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

  private static final String ENTRY =
      "(?:-?(?:0|[1-9][0-9]*+)(?:\\.[0-9]++)?(?:[eE][-+]?[0-9]++)?|\"(?:NaN|-?Infinity)\")";

  private static final Pattern LIST =
      Pattern.compile("\\s*+" + ENTRY + "(?:\\s*+,\\s*+" + ENTRY + ")++\\s*+");

  private ResultText() {}

  /** Reads what is no JSON; nothing if it is none of these either. */
  static Optional<JsonNode> read(byte[] text) {
    String json =
        WORD.matcher(new String(text, StandardCharsets.UTF_8))
            .replaceAll(
                found ->
                    Matcher.quoteReplacement(
                        found.group(2) == null
                            ? found.group()
                            : word(found.group(1), found.group(2))));
    try {
      String whole = LIST.matcher(json).matches() ? "[" + json + "]" : json;
      return Optional.of(Json.read(whole.getBytes(StandardCharsets.UTF_8)));
    } catch (MalformedJson e) {
      return Optional.empty();
    }
  }

  private static String word(String sign, String word) {
    boolean nan = word.toLowerCase(Locale.ROOT).equals("nan");
    return nan ? "\"NaN\"" : sign.equals("-") ? "\"-Infinity\"" : "\"Infinity\"";
  }
}
