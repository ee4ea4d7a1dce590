package io.stoker.common.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.DoubleNode;
import com.fasterxml.jackson.databind.node.LongNode;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.erdtman.jcs.JsonCanonicalizer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CanonicalJsonTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0                       | 0
          -0                      | 0
          -0.0                    | 0
          1.0                     | 1
          1E0                     | 1
          10e-1                   | 1
          -1.50                   | -1.5
          0.000001                | 0.000001
          0.0000001               | 1e-7
          1e20                    | 100000000000000000000
          1e21                    | 1e+21
          1.7976931348623157e308  | 1.7976931348623157e+308
          5e-324                  | 5e-324
          1e-400                  | 0
          333333333.33333329      | 333333333.3333333
          4.50                    | 4.5
          2e-3                    | 0.002
          9007199254740992        | 9007199254740992
          -9007199254740992       | -9007199254740992
          9007199254740994        | 9007199254740994
          9223372036854775807     | 9223372036854776000
          -9223372036854775808    | -9223372036854776000
          295147905179352830000   | 295147905179352830000
          1e0000000000000000003   | 1000
          """)
  void writesNumbersAsEcmaScriptDoes(String given, String expected) throws MalformedJson {
    assertThat(CanonicalJson.text(Json.read(given))).isEqualTo(expected);
  }

  @Test
  void sortsKeysByUtf16CodeUnits() throws MalformedJson {
    // U+1F600 is the pair D83D DE00: before U+FB33, although its code point is higher.
    String given =
        """
        {"\\u20ac": "Euro", "\\r": "CR", "\\ufb33": "Dalet", "1": "One", "\\ud83d\\ude00": "Face",
         "\\u0080": "Control", "\\u00f6": "O", "": "Empty", "a": 1, "B": 2, "aa": 3}""";
    String expected =
        "{\"\":\"Empty\",\"\\r\":\"CR\",\"1\":\"One\",\"B\":2,\"a\":1,\"aa\":3,"
            + "\"\u0080\":\"Control\",\"ö\":\"O\",\"€\":\"Euro\",\"😀\":\"Face\",\"\ufb33\":\"Dalet\"}";
    assertThat(CanonicalJson.text(Json.read(given))).isEqualTo(expected);
  }

  @Test
  void escapesOnlyWhatMustBe() throws MalformedJson {
    String given = "\"\\u0000\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\\\/\\u007f\\u2028\\u00e9\"";
    assertThat(CanonicalJson.text(Json.read(given)))
        .isEqualTo("\"\\u0000\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\u007f\u2028é\"");
  }

  @Test
  void keepsOrderInArraysAndNullsEverywhere() throws MalformedJson {
    assertThat(CanonicalJson.text(Json.read(" [ 3 , null, {\"b\": null , \"a\": [ ] } ,true] ")))
        .isEqualTo("[3,null,{\"a\":[],\"b\":null},true]");
  }

  @Test
  void encodesAsUtf8() throws MalformedJson {
    assertThat(CanonicalJson.bytes(Json.read("\"é😀\"")))
        .isEqualTo("\"é😀\"".getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e309", "[-1e400]", "\"\\ud800\"", "{\"\\udc00x\": 1}"})
  void refusesWhatHasNoCanonicalForm(String given) throws MalformedJson {
    var tree = Json.read(given);
    assertThatThrownBy(() -> CanonicalJson.text(tree)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void writesAMessagesOwnNodeTypesLikeParsedOnes() {
    assertThat(CanonicalJson.text(LongNode.valueOf(Long.MIN_VALUE)))
        .isEqualTo("-9223372036854776000");
    assertThat(CanonicalJson.text(DoubleNode.valueOf(-0.0))).isEqualTo("0");
    assertThat(CanonicalJson.text(DoubleNode.valueOf(0.1))).isEqualTo("0.1");
  }

  @Test
  void agreesWithTheReferenceOnRandomDocuments() throws Exception {
    for (long seed = 0; seed < 5_000; seed++) {
      String given = new RandomJson(new Random(seed)).document();
      assertThat(CanonicalJson.text(Json.read(given)))
          .as("seed %d: %s", seed, given)
          .isEqualTo(new JsonCanonicalizer(given).getEncodedString());
    }
  }

  @Test
  void isItsOwnCanonicalForm() throws MalformedJson {
    for (long seed = 0; seed < 1_000; seed++) {
      String once = CanonicalJson.text(Json.read(new RandomJson(new Random(seed)).document()));
      assertThat(CanonicalJson.text(Json.read(once))).as("seed %d", seed).isEqualTo(once);
    }
  }
}
