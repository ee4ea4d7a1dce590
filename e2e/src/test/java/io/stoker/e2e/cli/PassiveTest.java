package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that a person does, one at a time on each of two hosts. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class PassiveTest {
  @TempDir Path folder;

  private final StokerStack stack;

  PassiveTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void aPersonGivesTheValueByTheCommandLineAndByKafka() throws Exception {
    stack.post(passive("taste-cli"), passive("taste-kafka"));
    stack.statuses().await("taste-cli", RequestState.RUNNING);
    stack.statuses().await("taste-kafka", RequestState.RUNNING);
    stack.post(passive("taste-third"));
    stack.statuses().await("taste-third", RequestState.QUEUED);

    assertThat(stoker(0, "passive", "--list"))
        .contains("taste-cli")
        .contains("taste-kafka")
        .as("each host has one at a time")
        .doesNotContain("taste-third")
        .contains("taste \"soup taste-cli\"");
    assertThat(stoker(0, "finish", "taste-cli", "0.91", "3").strip()).isEqualTo("taste-cli");
    tell(
        "taste-kafka",
        new ControlMessage.Finish("finish-kafka", "taste-kafka", null, "the soup was cold"));

    RequestStatus end = stack.statuses().awaitEnd("taste-cli");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result().toString()).isEqualTo("[0.91,3]");
    assertThat(end.score().doubleValue()).isEqualTo(0.91);
    RequestStatus failed = stack.statuses().awaitEnd("taste-kafka");
    assertThat(failed.state()).isEqualTo(RequestState.FAILED);
    assertThat(failed.reason()).contains("the soup was cold");

    stack.statuses().await("taste-third", RequestState.RUNNING);
    Stoker.Ended asked = command().runWithInput("salty\n7 8\n", "passive");
    assertThat(asked.exitCode()).isZero();
    assertThat(asked.out()).contains("taste-third");
    assertThat(asked.err()).contains("VALUE is salty, expected a number");
    RequestStatus third = stack.statuses().awaitEnd("taste-third");
    assertThat(third.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(third.result().toString()).isEqualTo("[7,8]");
  }

  @Test
  void whatNobodyNeedsAnyMoreIsCancelledAndTakesNoAnswer() throws Exception {
    stack.post(passive("taste-cancelled"));
    stack.statuses().await("taste-cancelled", RequestState.RUNNING);

    stoker(0, "cancel", "taste-cancelled");

    assertThat(stack.statuses().awaitEnd("taste-cancelled").state())
        .isEqualTo(RequestState.CANCELLED);
    stoker(2, "finish", "taste-cancelled", "1");
    stoker(4, "finish", "taste-unknown", "1");
    stoker(2, "finish", "taste-cancelled", "salty");
  }

  private static Posted passive(String id) {
    return Posted.bare(id)
        .with("command", List.of("taste", "soup " + id))
        .with("resources", Map.of("type", "passive"));
  }

  private void tell(String key, ControlMessage message) {
    stack.producer().send(new ProducerRecord<>(stack.topics().control(), key, Json.bytes(message)));
    stack.producer().flush();
  }

  private String stoker(int exitCode, String... arguments) throws Exception {
    Stoker.Ended ended = command().run(arguments);
    assertThat(ended.exitCode()).as(ended.err()).isEqualTo(exitCode);
    return ended.out();
  }

  private Stoker command() {
    return new Stoker(stack.data().root(), folder);
  }
}
