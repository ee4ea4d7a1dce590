package io.stoker.dispatcher.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.dispatcher.model.Numbers;
import java.util.List;
import java.util.OptionalDouble;
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
        "[1,true]",
        "\"e\""
      })
  void theScoreOfATextIsThatOfItsTree(String json) throws MalformedJson {
    List<Double> numbers = Numbers.of(Json.read(json));

    OptionalDouble score = Numbers.score(json);

    assertThat(score.isPresent()).isEqualTo(!numbers.isEmpty());
    if (score.isPresent()) {
      assertThat(score.getAsDouble()).isEqualTo(numbers.getFirst());
    }
  }
}
