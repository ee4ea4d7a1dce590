package io.stoker.common.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.JsonRules.Violation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRulesTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "true",
        "9007199254740992",
        "-9007199254740992",
        "1e300",
        "0.1",
        "\"\\ud83d\\ude00\"",
        "\"\\u0001\"",
        "{\"a\": [null, {\"b\": \"\"}]}"
      })
  void acceptsWhatEveryStoreHolds(String given) throws MalformedJson {
    assertThat(JsonRules.check(Json.read(given), "at")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          9007199254740993            |            | 9007199254740993     | an integer within ±2^53
          {"a": -9007199254740993}    | a          | -9007199254740993    | an integer within ±2^53
          {"a": [1, {"b": 1e400}]}    | a[1].b     | 1E+400               | a number that a double holds
          {"a": {"b": "x\\u0000y"}}   | a.b        | \\u0000              | text without NUL characters
          ["\\ud800"]                 | [0]        | \\ud800              | text without lone surrogates
          ["\\udc00\\ud800"]          | [0]        | \\udc00              | text without lone surrogates
          ["\\ud800x"]                | [0]        | \\ud800              | text without lone surrogates
          ["\\ud83d\\ude00\\ud83d"]   | [0]        | \\ud83d              | text without lone surrogates
          """)
  void namesTheFirstBrokenRule(String given, String path, String value, String expected)
      throws MalformedJson {
    assertThat(JsonRules.check(Json.read(given), ""))
        .contains(new Violation(path == null ? "" : path, value, expected));
  }

  @Test
  void looksAtKeysToo() throws MalformedJson {
    assertThat(JsonRules.check(Json.read("{\"a\\u0000\": 1}"), "params"))
        .contains(new Violation("params.a\0", "\\u0000", "text without NUL characters"));
    assertThat(JsonRules.check(Json.read("{\"\\udfff\": 1}"), "").map(Violation::expected))
        .contains("text without lone surrogates");
  }

  @Test
  void tellsTheFirstInDocumentOrder() throws MalformedJson {
    assertThat(JsonRules.check(Json.read("{\"b\": \"\\u0000\", \"a\": \"\\u0000\"}"), ""))
        .map(Violation::path)
        .contains("b");
  }

  @Test
  void whatIsKeptStaysReadableWithinMessages() throws MalformedJson {
    int most = JsonRules.MAX_KEPT_NESTING;
    assertThat(JsonRules.storable(Json.read("[".repeat(most) + "]".repeat(most)))).isTrue();
    assertThat(JsonRules.storable(Json.read("[".repeat(most + 1) + "]".repeat(most + 1))))
        .isFalse();
  }

  @Test
  void aResultMayHoldAnyIntegerButNothingThatCannotBeKept() throws MalformedJson {
    assertThat(JsonRules.storable(Json.read("{\"n\": [123456789012345678901234567890, null]}")))
        .isTrue();
    assertThat(JsonRules.storable(Json.read("[1e400]"))).isFalse();
    assertThat(JsonRules.storable(Json.read("{\"a\": \"\\u0000\"}"))).isFalse();
    assertThat(JsonRules.storable(Json.read("{\"\\ud800\": 1}"))).isFalse();
  }
}
