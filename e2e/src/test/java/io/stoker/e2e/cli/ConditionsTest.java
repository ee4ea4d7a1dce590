package io.stoker.e2e.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.cli.Stoker.Ended;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What is to run after another request has failed, or has ended in any way. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class ConditionsTest {
  private static final String AFTER =
      """
      {"id": "%s", "command": ["sh", "-c", "echo \\"#stoker:result $(cat $STOKER_DEPENDENCIES)\\""], \
      "dependsOn": [{"id": "%s", "condition": "%s"}]}
      """;

  @TempDir Path folder;

  private final StokerStack stack;
  private Stoker stoker;

  ConditionsTest(StokerStack stack) {
    this.stack = stack;
  }

  @BeforeEach
  void callTheStack() {
    stoker = new Stoker(stack.data().root(), folder);
  }

  private static String job(String id, String script) {
    return "{\"id\": \"%s\", \"command\": [\"sh\", \"-c\", \"%s\"]}\n".formatted(id, script);
  }

  private Ended submit(String... lines) throws Exception {
    Path file = Files.writeString(folder.resolve("jobs.jsonl"), String.join("", lines));
    return stoker.run("submit", file.toString(), "--wait");
  }

  @Test
  void whatFollowsAFailureRunsAfterOneAndIsToldOfItAndNothingElseRuns() throws Exception {
    submit(
        job("cond-bad", "exit 4"),
        AFTER.formatted("cond-clean", "cond-bad", "failed"),
        AFTER.formatted("cond-report", "cond-bad", "ended"),
        job("cond-good", "exit 0 # of conditions"),
        AFTER.formatted("cond-needless", "cond-good", "failed"),
        AFTER.formatted("cond-after-all", "cond-needless", "ended"));

    RequestStatus clean = stack.statuses().awaitEnd("cond-clean");
    assertThat(clean.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(clean.result())
        .isEqualTo(Json.read("[{\"id\": \"cond-bad\", \"state\": \"FAILED\"}]"));
    RequestStatus report = stack.statuses().awaitEnd("cond-report");
    assertThat(report.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(report.job()).isNotEqualTo(clean.job());
    RequestStatus needless = stack.statuses().awaitEnd("cond-needless");
    assertThat(needless.state()).isEqualTo(RequestState.CANCELLED);
    assertThat(needless.code()).isEqualTo(Code.CONDITION_NOT_MET);
    assertThat(needless.reason())
        .isEqualTo("cond-good is SUCCEEDED, and this was to run only if it failed");
    assertThat(stack.statuses().awaitEnd("cond-after-all").result().toString())
        .contains("\"state\":\"CANCELLED\"");
    assertThat(stoker.run("show", "cond-clean").out())
        .containsPattern("needs +cond-bad FAILED, once it has failed");
  }

  @Test
  void todaysFailureIsNotAnsweredByTheReportOnYesterdays() throws Exception {
    submit(job("day-1", "exit 5 # of the day"), AFTER.formatted("report-1", "day-1", "failed"));
    submit(job("day-2", "exit 5 # of the day"), AFTER.formatted("report-2", "day-2", "failed"));

    RequestStatus first = stack.statuses().awaitEnd("report-1");
    RequestStatus second = stack.statuses().awaitEnd("report-2");

    assertThat(second.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(second.cached()).isFalse();
    assertThat(second.job()).isNotEqualTo(first.job());
    assertThat(second.result().toString()).contains("day-2");
  }

  @Test
  void explainSaysWhatEndIsWaitedFor() throws Exception {
    Path file =
        Files.writeString(
            folder.resolve("early.jsonl"), AFTER.formatted("early", "cond-late", "ended"));
    stoker.run("submit", file.toString());
    stack.statuses().await("early", RequestState.WAITING);

    Ended explained = stoker.run("explain", "early");
    assertThat(explained.out()).contains("waits for cond-late (never posted) to end");
    assertThat(new Rest(stack).json("/explain/early").at("/waitsFor/0/condition").asText())
        .isEqualTo("ended");

    Ended cancelled = stoker.run("cancel", "cond-late");
    assertThat(cancelled.exitCode()).as(cancelled.err()).isIn(List.of(0, 4));
    submit(job("cond-late", "exit 0 # late"));
    assertThat(stack.statuses().awaitEnd("early").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void aWordThatIsNoConditionIsRefusedByName() throws Exception {
    Ended refused = submit(AFTER.formatted("cond-odd", "cond-bad", "finished"));

    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err())
        .contains("dependsOn[0].condition", "finished", "one of succeeded, ended, failed");
  }
}
