package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.RequestStatus.AnsweredBy;
import io.stoker.common.request.Fingerprint;
import io.stoker.common.request.RequestParser;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.BesideTheSharedStack;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose work answers whom, on three hosts without a GPU: nothing succeeds that never ran. */
@ExtendWith(ThreeHosts.class)
@ResourceLock(ThreeHosts.LOCK)
@BesideTheSharedStack
@Timeout(1_200)
class AnswersTest {
  @TempDir Path folder;
  private final StokerStack stack;

  AnswersTest(StokerStack stack) {
    this.stack = stack;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpu | {\"gpus\": 1, \"cpuFallback\": false}",
        "model | {\"require\": {\"model\": \"H9000\"}}",
        "hosts | {\"hosts\": 4}",
      })
  void whatThisFleetCannotRunDoesNotSucceedForAnEqualCommand(String name, String resources)
      throws Exception {
    Posted plain = Posted.script("never-" + name, "echo '#stoker:result 1' # never " + name);
    stack.post(plain);
    assertThat(stack.statuses().awaitEnd(plain.id()).state()).isEqualTo(RequestState.SUCCEEDED);

    String id = "never-on-" + name;
    stack.post(plain.as(id).with("resources", Json.read(resources)));

    RequestStatus waits =
        stack.statuses().await(id, status -> status.code() == Code.UNSATISFIABLE, "says so");
    assertThat(waits.state()).isEqualTo(RequestState.QUEUED);
    assertThat(waits.shared()).isFalse();
    assertThat(new Rest(stack).code("DELETE", "/requests/" + id)).isEqualTo(202);
    assertThat(stack.statuses().awaitEnd(id).state()).isEqualTo(RequestState.CANCELLED);
  }

  @Test
  void whoIsAnsweredByAnothersWorkSaysSoAndLogsAndResultsAreThatOnes() throws Exception {
    Posted first = Posted.script("answers-1", "echo said by the first; echo '#stoker:result 7'");
    stack.post(first);
    RequestStatus ran = stack.statuses().awaitEnd("answers-1");
    stack.post(first.as("answers-2"));

    RequestStatus answered = stack.statuses().awaitEnd("answers-2");

    assertThat(answered.cached()).isTrue();
    assertThat(answered.answeredBy()).isEqualTo(new AnsweredBy("answers-1", ran.job()));
    Rest rest = new Rest(stack);
    await("its last lines")
        .atMost(StatusLog.PATIENCE)
        .until(() -> rest.get("/requests/answers-2/logs").contains("said by the first"));
    assertThat(rest.json("/requests/answers-2/results").toString()).contains("7");
    assertThat(rest.json("/explain/answers-2").path("sentence").textValue())
        .contains("request answers-1 started");
  }

  /** As a dispatcher of before resources were part of the meaning has left it. */
  @Test
  void whatWasDoneBeforeResourcesCountedAnswersWhoAsksForTheSameAndNobodyElse() throws Exception {
    Posted plain = Posted.script("former-plain", "echo '#stoker:result 1' # former");
    Posted labelled = plain.with("resources", Json.read("{\"require\": {\"zone\": \"lab\"}}"));
    stack.post(labelled.as("former"));
    RequestStatus ran = stack.statuses().awaitEnd("former");
    String former =
        Fingerprint.former(RequestParser.parse(plain.bytes(), Optional.empty()), List.of());
    for (String table : List.of("job", "request")) {
      stack
          .database()
          .change(
              "update %s set fingerprint = '%s' where fingerprint = '%s'"
                  .formatted(table, former, ran.fingerprint()));
    }

    stack.post(labelled.as("former-equal"));
    RequestStatus answered = stack.statuses().awaitEnd("former-equal");
    assertThat(answered.answeredBy()).isEqualTo(new AnsweredBy("former", ran.job()));
    assertThat(answered.fingerprint()).isEqualTo(former);
    stack.post(plain);
    RequestStatus anew = stack.statuses().awaitEnd("former-plain");
    assertThat(anew.cached()).isFalse();
    assertThat(anew.host()).isNotNull();
    stack.post(plain.as("former-plain-equal"));
    assertThat(stack.statuses().awaitEnd("former-plain-equal").job()).isEqualTo(anew.job());

    assertThat(new Rest(stack).code("POST", "/requests/former-equal/forget")).isEqualTo(202);
    await("the result to be forgotten")
        .atMost(StatusLog.PATIENCE)
        .until(
            () ->
                stack
                    .database()
                    .column("select role from job where id = '" + ran.job() + "'")
                    .equals(List.of("0")));
    stack.post(labelled.as("former-again"));
    assertThat(stack.statuses().awaitEnd("former-again").cached()).isFalse();
  }

  @Test
  void nobodyWaitsBehindAnEqualThatAsksTooMuch() throws Exception {
    Posted large =
        Posted.script("large", "# asks too much").with("resources", Map.of("memory", "500TiB"));
    stack.post(large);
    stack.statuses().await("large", RequestState.QUEUED);

    stack.post(large.as("small").with("resources", Map.of("memory", "1MiB")));

    assertThat(stack.statuses().awaitEnd("small").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd("large").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void whoDependsOnWhatIsRefusedEndsAtOnce() {
    stack.post(Posted.script("on-refused", "true").dependingOn("refused"));
    stack.statuses().await("on-refused", RequestState.WAITING);
    stack.post(Posted.script("refused", "true").with("resources", Map.of("gpus", -1)));

    RequestStatus end = stack.statuses().awaitEnd("on-refused");
    assertThat(end.code()).isEqualTo(Code.DEPENDENCY_FAILED);
    assertThat(end.reason()).startsWith("caused by failure of refused, which was refused: ");
    stack.post(Posted.script("after-refused", "true").dependingOn("refused"));
    assertThat(stack.statuses().awaitEnd("after-refused").code()).isEqualTo(Code.DEPENDENCY_FAILED);
    stack.post(Posted.script("refused", "true"));
    // Else its dependent, on another partition, may be taken in while it is still refused.
    stack.statuses().await("refused", RequestState.SUCCEEDED);
    stack.post(Posted.script("on-accepted", "true").dependingOn("refused"));
    assertThat(stack.statuses().awaitEnd("on-accepted").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void whatHasEndedIsTheSameWheneverItIsPublished() throws Exception {
    Posted request = Posted.script("final", "true");
    stack.post(request);
    RequestStatus end = stack.statuses().awaitEnd("final");
    assertThat(List.of(end.postedAt(), end.queuedAt(), end.startedAt(), end.endedAt())).isSorted();
    assertThat(end.runtime()).isNotNegative();
    await("fast memory to have its end")
        .atMost(StatusLog.PATIENCE)
        .until(() -> new Rest(stack).get("/requests/final").contains("\"SUCCEEDED\""));
    String shown = new Rest(stack).get("/requests/final");

    stack.post(request);

    assertThat(stack.statuses().awaitAgain(end))
        .extracting(entry -> new String(entry.record().value(), StandardCharsets.UTF_8))
        .containsOnly(new String(Json.bytes(end), StandardCharsets.UTF_8));
    assertThat(new Rest(stack).get("/requests/final")).isEqualTo(shown);
  }
}
