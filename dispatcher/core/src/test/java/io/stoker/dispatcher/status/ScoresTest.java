package io.stoker.dispatcher.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.dispatcher.model.Numbers;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScoresTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "0",
        "-1.5e-7",
        "120.0",
        "100000000000000000000",
        "[]",
        "[ ]",
        "[3]",
        "[0.25,3,-4e2]",
        "[ 0.25 ,\n3 ]",
        "[1,[2]]",
        "[1,\"2\"]",
        "[1,null]",
        "[{},1]",
        "\"1\"",
        "\"\"",
        "true",
        "null",
        "{}",
        "{\"a\":1}",
        "{\"score\":0.93}",
        " {\"lr\":[1,{\"score\":7}],\"score\":-4e2,\"score2\":1}",
        "{\"score\":\"0.93\"}",
        "{\"score\":{\"score\":1}}",
        "{\"score\":null}",
        "{\"a\":{\"score\":1}}",
        "{\"a\":\"score\"}",
        "[1,true]",
        "\"e\""
      })
  void theScoreOfATextIsThatOfItsTree(String json) throws MalformedJson {
    Optional<Double> ofTree = Numbers.score(Json.read(json));

    OptionalDouble score = Numbers.score(json);

    assertThat(score.isPresent()).isEqualTo(ofTree.isPresent());
    if (score.isPresent()) {
      assertThat(score.getAsDouble()).isEqualTo(ofTree.get());
    }
  }

  @Test
  void theScoreOfAnObjectIsItsFieldOfThatName() throws MalformedJson {
    assertThat(Numbers.score("{\"loss\":0.1,\"score\":0.93}")).hasValue(.93);
    assertThat(Numbers.noScore(Json.read("{\"score\":\"NaN\"}")))
        .contains("its score is NaN, which is no number: it has none");
    assertThat(Numbers.score(Json.read("{\"score\":\"high\"}"))).isEmpty();
    assertThat(Numbers.noScore(Json.read("{\"score\":\"high\"}"))).isEmpty();
  }
}
