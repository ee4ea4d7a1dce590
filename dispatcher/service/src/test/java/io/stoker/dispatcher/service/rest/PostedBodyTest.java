package io.stoker.dispatcher.service.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostedBodyTest {
  /** Names of media types are the same in any case, and what a parameter holds is no name. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/x-ndjson                    | true",
        "application/jsonl                       | true",
        "Application/X-NDJSON                    | true",
        "application/JSONL;charset=UTF-8         | true",
        "application/x-ndjson ; charset=utf-8    | true",
        "application/json                        | false",
        "application/cloudevents+json            | false",
        "application/json;profile=\"a/jsonl\"     | false",
        "                                        | false"
      })
  void isLines_goesByTheNameOfTheType(String type, boolean lines) {
    assertThat(PostedBody.isLines(type)).isEqualTo(lines);
  }
}
