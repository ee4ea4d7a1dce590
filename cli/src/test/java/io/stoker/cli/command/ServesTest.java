package io.stoker.cli.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServesTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                                                       | ''
          {"runners":[{"runner":"cpu","slots":4},{"runner":"gpu","slots":0}]}      | ''
          {"runners":[{"runner":"cpu","slots":4},{"runner":"passive","slots":1}]}  | passive 1
          {"runners":[{"runner":"passive","slots":1},{"runner":"ssh","slots":5,"gpus":4},{"runner":"aws","slots":2,"gpus":0}]} | passive 1, ssh 5 (up to 4 GPUs), aws 2
          """)
  void saysWhatIsNoProcessOfTheHost(String resources, String said) throws MalformedJson {
    assertThat(Serves.text(Json.read(resources))).isEqualTo(said);
  }
}
