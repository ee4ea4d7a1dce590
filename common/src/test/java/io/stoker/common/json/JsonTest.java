package io.stoker.common.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.NullNode;
import io.stoker.common.message.HostMessage;
import java.nio.charset.StandardCharsets;
import java.time.DayOfWeek;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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
        .hasMessage("null, expected an object");
    assertThatThrownBy(() -> Json.read(NullNode.instance, Pair.class))
        .isInstanceOf(MalformedJson.class)
        .hasMessage("null, expected an object");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[]", "5", "{\"right\":\"no number\"}", "{\"left\":{}}"})
  void refusesAValueOfAnotherShape(String given) throws MalformedJson {
    var tree = Json.read(given);
    assertThatThrownBy(() -> Json.read(tree, Pair.class)).isInstanceOf(MalformedJson.class);
    assertThatThrownBy(() -> Json.read(given.getBytes(StandardCharsets.UTF_8), Pair.class))
        .isInstanceOf(MalformedJson.class);
  }

  /** What a message of many kinds of values may hold. */
  record Kinds(
      Integer count,
      Boolean yes,
      List<Double> scores,
      Pair pair,
      DayOfWeek day,
      List<Pair> pairs) {}

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'count':'many'} | count: many, expected an integer",
        "{'count':[1]} | count: a list, expected an integer",
        "{'yes':'perhaps'} | yes: perhaps, expected true or false",
        "{'scores':[1,'high']} | scores[1]: high, expected a number",
        "{'scores':{}} | scores: an object, expected a list",
        "{'pair':[]} | pair: a list, expected an object",
        "{'pairs':[{},{'left':[1]}]} | pairs[1].left: a list, expected text",
        "{'pair':'x'} | pair: x, expected an object",
        "[1] | a list, expected an object",
      })
  void saysWhichValueIsNotWhatItShouldBe(String given, String sentence) throws MalformedJson {
    String text = given.strip().replace('\'', '"');
    var tree = Json.read(text);
    assertThatThrownBy(() -> Json.read(tree, Kinds.class)).hasMessage(sentence);
    assertThatThrownBy(() -> Json.read(text.getBytes(StandardCharsets.UTF_8), Kinds.class))
        .hasMessage(sentence);
  }

  @Test
  void namesTheValuesThatAreTaken() {
    assertThatThrownBy(
            () -> Json.read("{\"day\":\"TODAY\"}".getBytes(StandardCharsets.UTF_8), Kinds.class))
        .hasMessageStartingWith("day: TODAY, expected one of MONDAY, TUESDAY");
  }

  @ParameterizedTest
  @CsvSource({"{\"type\":\"welcom\"}, welcom", "{\"n\":1}, nothing"})
  void namesTheMessagesThatAreKnown(String given, String type) {
    assertThatThrownBy(() -> Json.read(given.getBytes(StandardCharsets.UTF_8), HostMessage.class))
        .hasMessage("type: " + type + ", expected one of hello, heartbeat, inventory, goodbye");
  }

  @Test
  void saysWhereTextEndsTooEarlyAndNothingOfItsOwnParts() {
    assertThatThrownBy(() -> Json.read("{\"a\":\n[1"))
        .isInstanceOf(MalformedJson.class)
        .hasMessage("Unexpected end-of-input: expected close marker for Array at line 2, column 3");
  }

  @Test
  void textOf_isFoundInWhatCannotBeReadToItsEnd() {
    assertThat(Json.textOf("{\"n\":1,\"is\":\"done\",\"result\":NaN}", "is")).hasValue("done");
    assertThat(Json.textOf("{\"n\":[1,{}],\"is\":\"done\",\"resu", "is")).hasValue("done");
    assertThat(Json.textOf("{\"value\":{\"is\":\"done\"},\"is\":1", "is")).isEmpty();
    assertThat(Json.textOf("{\"value\":{\"is\":\"done\"", "is")).isEmpty();
    assertThat(Json.textOf("{\"is\"", "is")).isEmpty();
    assertThat(Json.textOf("[\"is\"]", "is")).isEmpty();
    assertThat(Json.textOf("", "is")).isEmpty();
  }
}
