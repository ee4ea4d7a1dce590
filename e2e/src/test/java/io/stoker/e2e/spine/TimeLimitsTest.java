package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What takes too long is ended, and its retry has as long again. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class TimeLimitsTest {
  @TempDir Path folder;
  private final StokerStack stack;

  TimeLimitsTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void aJobThatRunsTooLongIsEndedAndSaysSo() throws Exception {
    stack.post(Posted.script("too-long", "sleep 600").with("timeout", "1s"));

    RequestStatus end = stack.statuses().awaitEnd("too-long");
    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.TIMED_OUT);
    assertThat(end.attempt()).isEqualTo(1);
  }

  @Test
  void itsRetryMayTakeAsLongAgain() throws Exception {
    RunCount runs = RunCount.in(folder, "runs");
    stack.post(
        Posted.script("slow-once", runs.add() + "[ $STOKER_ATTEMPT = 2 ] || sleep 600")
            .with("timeout", "20s")
            .with("retry", Map.of("timeout", 1)));

    RequestStatus end = stack.statuses().awaitEnd("slow-once");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).isEqualTo(2);
    assertThat(runs.runs()).isEqualTo(2);
  }

  @Test
  void sharersWhoJoinARunEachHaveTheirOwnTimeout() throws Exception {
    Path enough = folder.resolve("enough");
    Posted first =
        Posted.script("first-20s", "while [ ! -e '%s' ]; do sleep 0.1; done".formatted(enough));
    stack.post(first.with("timeout", "20s"));
    RequestStatus runs = stack.statuses().await("first-20s", RequestState.RUNNING);
    stack.post(first.as("joins-30s").with("timeout", "30s"), first.as("joins-unlimited"));

    assertThat(stack.statuses().awaitEnd("first-20s").code()).isEqualTo(Code.TIMED_OUT);
    RequestStatus joined = stack.statuses().awaitEnd("joins-30s");
    assertThat(joined.code()).isEqualTo(Code.TIMED_OUT);
    assertThat(Duration.between(Instant.parse(runs.startedAt()), Instant.parse(joined.endedAt())))
        .as("it did not end with the first, whose time was over before")
        .isGreaterThan(Duration.ofSeconds(29));
    Files.createFile(enough);
    RequestStatus end = stack.statuses().awaitEnd("joins-unlimited");
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.attempt()).as("its host was told that it has more time").isEqualTo(1);
  }

  @Test
  void aSharerWhoWaitsLessLongEndsAloneAndTheJobGoesOn() throws Exception {
    Path enough = folder.resolve("enough");
    Posted patient =
        Posted.script("patient", "while [ ! -e '%s' ]; do sleep 0.1; done".formatted(enough));
    stack.post(patient.with("timeout", "10m"));
    stack.statuses().await("patient", RequestState.RUNNING);
    stack.post(patient.as("hasty").with("timeout", "1s"));

    RequestStatus end = stack.statuses().awaitEnd("hasty");
    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.TIMED_OUT);
    assertThat(end.reason())
        .isEqualTo("the job that it shares has run longer than its own timeout of 1 s");
    Files.createFile(enough);
    assertThat(stack.statuses().awaitEnd("patient").state()).isEqualTo(RequestState.SUCCEEDED);
  }
}
