package io.stoker.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stoker.cli.outcome.CliException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ValuesTest {

  @Test
  void oneNumberIsTheValueAndSeveralAreAnArray() {
    assertThat(Values.numbers(List.of())).isEmpty();
    assertThat(Values.numbers(List.of("0.91")).orElseThrow().doubleValue()).isEqualTo(0.91);
    assertThat(Values.numbers(List.of("1", "-2")).orElseThrow().toString()).isEqualTo("[1,-2]");
  }

  @Test
  void whatIsNoNumberIsNamed() {
    for (String word : List.of("salty", "\"1\"", "1,5", "")) {
      assertThatThrownBy(() -> Values.numbers(List.of("1", word)))
          .isInstanceOf(CliException.class)
          .hasMessageContaining("VALUE is " + word + ", expected a number");
    }
  }

  @Test
  void aResultIsAnyJson() {
    assertThat(Values.json("{\"note\":\"salty\"}").path("note").asText()).isEqualTo("salty");
    assertThatThrownBy(() -> Values.json("{salty"))
        .isInstanceOf(CliException.class)
        .hasMessageContaining("--result is {salty, expected JSON");
  }
}
