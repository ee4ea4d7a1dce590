package io.stoker.agent.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What programs print that is almost JSON, by way of what a result line comes to. */
class ResultTextTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '`',
      value = {
        "NaN; \"NaN\"",
        "nan; \"NaN\"",
        "inf; \"Infinity\"",
        "-inf; \"-Infinity\"",
        "+Infinity; \"Infinity\"",
        "0.1,0.2; [0.1,0.2]",
        "0.5, nan,-3.5; [0.5,\"NaN\",-3.5]",
        "[NaN, 0.2]; [\"NaN\",0.2]",
        "{\"loss\": NaN, \"NaN\": \"nan, inf\"}; {\"loss\":\"NaN\",\"NaN\":\"nan, inf\"}",
        "{\"a\": [1, -Infinity]}; {\"a\":[1,\"-Infinity\"]}",
        "0.25; 0.25",
        "[1,2]; [1,2]",
      })
  void isTaken(String printed, String result) {
    MarkerLines.Outcome outcome = read(printed);
    assertThat(outcome.problem()).isEmpty();
    assertThat(outcome.value().orElseThrow()).hasToString(result);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"salty", "nano", "infer", "{\"a\":nanx}", "0.1,", ",0.1", "1 2", "[1,2", "a,b"})
  void anythingElseIsRefusedAsBefore(String printed) {
    assertThat(read(printed).problem().orElseThrow())
        .startsWith("the result line is not valid JSON");
  }

  @Test
  void aLongTextThatIsNearlyAListIsReadInTime() {
    assertThat(read("1,".repeat(100_000) + "x").value()).isEmpty();
    assertThat(read("\"" + "\\\\".repeat(100_000)).value()).isEmpty();
  }

  private static MarkerLines.Outcome read(String printed) {
    return MarkerLines.Outcome.of(printed.getBytes(StandardCharsets.UTF_8), "the result line");
  }
}
