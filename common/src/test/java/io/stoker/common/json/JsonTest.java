package io.stoker.common.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  record Pair(String left, Integer right) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "nonsense",
        "{",
        "{\"a\": 1",
        "{\"a\": 1} 2",
        "{} {}",
        "{\"a\": 1, \"a\": 2}",
        "{\"o\": {\"a\": 1, \"\\u0061\": 2}}",
        "NaN",
        "[Infinity]",
        "{'a': 1}",
        "[1,]",
        "01",
        "+1",
        "// no\n1",
        "\uFEFF{}",
        "1e99999999999"
      })
  void refusesWhatIsNotOneJsonValue(String given) {
    assertThatThrownBy(() -> Json.read(given.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(MalformedJson.class);
  }

  @Test
  void writesNumbersAsTheyWereRead() throws MalformedJson {
    String numbers = "[120.0,1.50,0.1,7,-3.0]";
    assertThat(Json.text(Json.read(numbers))).isEqualTo(numbers);
  }

  @Test
  void refusesBytesThatAreNotUtf8() {
    for (byte[] bytes :
        new byte[][] {
          {'"', (byte) 0xff, '"'},
          {'"', (byte) 0xc0, (byte) 0x80, '"'}, // overlong NUL
          {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}, // a surrogate
          {'"', (byte) 0xc3}
        }) {
      assertThatThrownBy(() -> Json.read(bytes))
          .isInstanceOf(MalformedJson.class)
          .hasMessage("not valid UTF-8");
    }
  }

  @Test
  void readsDownTo64LevelsAndNoDeeper() throws MalformedJson {
    assertThat(Json.read("[".repeat(64) + "]".repeat(64)).isArray()).isTrue();
    assertThatThrownBy(() -> Json.read("[".repeat(65) + "]".repeat(65)))
        .isInstanceOf(MalformedJson.class)
        .hasMessageContaining("64");
  }

  @Test
  void saysWhereItWentWrong() {
    assertThatThrownBy(() -> Json.read("{\n  \"a\": x}"))
        .isInstanceOf(MalformedJson.class)
        .hasMessageContaining("line 2");
  }

  @Test
  void ignoresUnknownPropertiesOfMessagesAndLeavesNullsOut() throws MalformedJson {
    Pair pair =
        Json.read("{\"left\":\"x\",\"more\":[1]}".getBytes(StandardCharsets.UTF_8), Pair.class);
    assertThat(pair).isEqualTo(new Pair("x", null));
    assertThat(Json.text(pair)).isEqualTo("{\"left\":\"x\"}");
    assertThat(Json.bytes(pair)).isEqualTo("{\"left\":\"x\"}".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void refusesANullInPlaceOfAMessage() {
    assertThatThrownBy(() -> Json.read("null".getBytes(StandardCharsets.UTF_8), Pair.class))
        .isInstanceOf(MalformedJson.class)
        .hasMessageContaining("Pair");
    assertThatThrownBy(() -> Json.read(NullNode.instance, Pair.class))
        .isInstanceOf(MalformedJson.class)
        .hasMessageContaining("Pair");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "5", "{\"right\":\"no number\"}", "{\"left\":{}}"})
  void refusesAValueOfAnotherShape(String given) throws MalformedJson {
    var tree = Json.read(given);
    assertThatThrownBy(() -> Json.read(tree, Pair.class)).isInstanceOf(MalformedJson.class);
    assertThatThrownBy(() -> Json.read(given.getBytes(StandardCharsets.UTF_8), Pair.class))
        .isInstanceOf(MalformedJson.class);
  }
}
