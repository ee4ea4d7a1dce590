package io.stoker.dispatcher.status;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.scenario.Scene;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A status fits into a record at the largest sizes of all that it shows. */
class StatusRecordTest {
  private final Scene scene = new Scene();

  @ParameterizedTest
  @ValueSource(strings = {"x", "é", "漢", "😀"})
  void theLargestResultOfAnyScriptIsPublishedWhole(String letter) throws MalformedJson {
    String text = letter.repeat((Limits.RESULT_CHARACTERS - 2) / letter.length());
    RequestStatus status = succeededWith("\"" + text + "\"");

    byte[] json = StatusRecord.of(status).json();

    assertThat(json.length).isLessThanOrEqualTo(Limits.RECORD_VALUE);
    assertThat(Json.read(json).path("result").textValue()).isEqualTo(text);
  }

  @Test
  void aSentenceIsCutBetweenLettersWhereItDoesNotFit() throws MalformedJson {
    String sentence = "x".repeat(Limits.SENTENCE_CHARACTERS - 1) + "😀".repeat(Limits.RECORD);
    RequestStatus status = StatusView.rejected("a", null, Code.INVALID_REQUEST, sentence, 1);

    byte[] json = StatusRecord.of(status).json();

    assertThat(json.length).isLessThanOrEqualTo(Limits.RECORD_VALUE);
    assertThat(Json.read(json).path("reason").textValue()).endsWith("x😀");
  }

  private RequestStatus succeededWith(String result) {
    scene.post(aRequest("a"));
    return shown("a", result);
  }

  private RequestStatus shown(String id, String result) {
    scene.succeed(id);
    RequestRow row = scene.request(id);
    JobRow job = scene.job(id).change().result(result).build();
    return StatusView.of(row, Optional.of(job), 1).orElseThrow();
  }
}
