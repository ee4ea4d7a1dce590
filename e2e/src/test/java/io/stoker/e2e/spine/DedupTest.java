package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.common.json.Json;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import io.stoker.e2e.stack.Traces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Share, don't repeat: equal requests run once, whenever they come; failures run again. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class DedupTest {
  @TempDir Path folder;

  private final StokerStack stack;

  DedupTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void equalsPostedTogetherRunOnce() throws Exception {
    RunCount count = RunCount.in(folder, "count");
    Posted first = Posted.script("together-1", count.add() + "echo '#stoker:result 7'");
    stack.post(first, first.as("together-2"), first.as("together-3"));

    RequestStatus one = stack.statuses().awaitEnd("together-1");
    RequestStatus two = stack.statuses().awaitEnd("together-2");
    RequestStatus three = stack.statuses().awaitEnd("together-3");

    assertThat(count.runs()).isEqualTo(1);
    assertThat(one.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(two.job()).isEqualTo(one.job());
    assertThat(three.job()).isEqualTo(one.job());
    assertThat(two.result()).isEqualTo(one.result());
    assertThat(three.fingerprint()).isEqualTo(one.fingerprint());
  }

  @Test
  void oneThatComesWhileItsEqualRunsSharesItAtOnceAndEveryLaterStatus() throws Exception {
    Gate gate = Gate.in(folder, "gate");
    RunCount count = RunCount.in(folder, "count");
    Posted first =
        Posted.script("during-1", count.add() + gate.await() + "echo '#stoker:result 1'");
    stack.post(first);
    RequestStatus running = stack.statuses().await("during-1", RequestState.RUNNING);

    stack.post(first.as("during-2"));
    RequestStatus shared = stack.statuses().await("during-2", RequestState.RUNNING);
    gate.open();
    RequestStatus end = stack.statuses().awaitEnd("during-2");

    assertThat(shared.job()).isEqualTo(running.job());
    assertThat(shared.shared()).isTrue();
    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result()).isEqualTo(Json.read("1"));
    assertThat(stack.statuses().awaitEnd("during-1").shared()).isFalse();
    assertThat(count.runs()).isEqualTo(1);
  }

  @Test
  void oneThatComesAfterwardsIsAnsweredAtOnce() throws Exception {
    RunCount count = RunCount.in(folder, "count");
    Posted first = Posted.script("after-1", count.add() + "echo '#stoker:result [1,2]'");
    stack.post(first);
    RequestStatus ran = stack.statuses().awaitEnd("after-1");

    stack.post(first.as("after-2").with("priority", 5).with("labels", Map.of("owner", "other")));
    RequestStatus answered = stack.statuses().awaitEnd("after-2");

    assertThat(answered.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(answered.cached()).isTrue();
    assertThat(answered.job()).isEqualTo(ran.job());
    assertThat(answered.result()).isEqualTo(ran.result());
    assertThat(count.runs()).isEqualTo(1);
  }

  @Test
  void aFailedOneRunsAgain() throws Exception {
    Gate repaired = Gate.in(folder, "repaired");
    Posted first = Posted.script("again-1", "[ -e '" + repaired.file() + "' ] || exit 3");
    stack.post(first);
    RequestStatus failed = stack.statuses().awaitEnd("again-1");
    repaired.open();

    stack.post(first.as("again-2"));
    RequestStatus ran = stack.statuses().awaitEnd("again-2");

    assertThat(failed.state()).isEqualTo(RequestState.FAILED);
    assertThat(failed.code()).isEqualTo(Code.APP_FAILURE);
    assertThat(failed.exitCode()).isEqualTo(3);
    assertThat(ran.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(ran.job()).isNotEqualTo(failed.job());
    assertThat(ran.fingerprint()).isEqualTo(failed.fingerprint());
  }

  @Test
  void whoSharesARunThatFailsFailsWithIt() throws Exception {
    Gate gate = Gate.in(folder, "gate");
    Posted first = Posted.script("sink-1", gate.await() + "exit 4");
    stack.post(first);
    stack.statuses().await("sink-1", RequestState.RUNNING);
    stack.post(first.as("sink-2"));
    stack.statuses().await("sink-2", RequestState.RUNNING);
    gate.open();

    RequestStatus sharer = stack.statuses().awaitEnd("sink-2");

    assertThat(sharer.state()).isEqualTo(RequestState.FAILED);
    assertThat(sharer.code()).isEqualTo(Code.SHARED_FAILURE);
    assertThat(sharer.reason()).contains("sink-1");
    assertThat(stack.statuses().awaitEnd("sink-1").code()).isEqualTo(Code.APP_FAILURE);
  }

  @Test
  void aCancelledOneRunsAgain() throws Exception {
    Gate gate = Gate.in(folder, "gate");
    Posted first = Posted.script("cancel-1", gate.await());
    stack.post(first);
    stack.statuses().await("cancel-1", RequestState.RUNNING);
    cancel("cancel-1");
    RequestStatus cancelled = stack.statuses().awaitEnd("cancel-1");
    gate.open();

    stack.post(first.as("cancel-2"));
    RequestStatus ran = stack.statuses().awaitEnd("cancel-2");

    assertThat(cancelled.state()).isEqualTo(RequestState.CANCELLED);
    assertThat(cancelled.code()).isEqualTo(Code.CANCELLED);
    assertThat(ran.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(ran.job()).isNotEqualTo(cancelled.job());
  }

  @Test
  void oneSharerIsCancelledAlone() throws Exception {
    Gate gate = Gate.in(folder, "gate");
    Posted first = Posted.script("leave-1", gate.await());
    stack.post(first);
    stack.statuses().await("leave-1", RequestState.RUNNING);
    stack.post(first.as("leave-2"));
    stack.statuses().await("leave-2", RequestState.RUNNING);

    cancel("leave-1");
    RequestStatus left = stack.statuses().awaitEnd("leave-1");
    gate.open();

    assertThat(left.state()).isEqualTo(RequestState.CANCELLED);
    assertThat(stack.statuses().awaitEnd("leave-2").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void theLastSharerThatIsCancelledEndsTheRunAndItsDependentsFailWithTheCause() throws Exception {
    Path pids = folder.resolve("pids");
    Posted first = Posted.script("last-1", "echo $$ >> '" + pids + "'; exec sleep 600");
    stack.post(first);
    stack.statuses().await("last-1", RequestState.RUNNING);
    await().atMost(StatusLog.PATIENCE).until(() -> written(pids).size() == 1);
    ProcessHandle run = ProcessHandle.of(written(pids).getFirst()).orElseThrow();
    stack.post(first.as("last-2"), Posted.script("after-last", "true").dependingOn("last-2"));
    stack.statuses().await("last-2", RequestState.RUNNING);

    cancel("last-1");
    stack.statuses().awaitEnd("last-1");
    assertThat(Traces.lives(run)).as("the other one still wants it").isTrue();
    cancel("last-2");
    RequestStatus last = stack.statuses().awaitEnd("last-2");
    RequestStatus after = stack.statuses().awaitEnd("after-last");

    assertThat(last.state()).isEqualTo(RequestState.CANCELLED);
    assertThat(last.reason()).isEqualTo("changed my mind");
    assertThat(Traces.lives(run)).as("nobody wants it").isFalse();
    assertThat(written(pids)).as("nor did it run again").hasSize(1);
    assertThat(after.state()).isEqualTo(RequestState.FAILED);
    assertThat(after.code()).isEqualTo(Code.DEPENDENCY_FAILED);
    assertThat(after.reason()).isEqualTo("caused by failure of last-2");
  }

  @Test
  void whoWantsARunOfItsOwnGetsOne() throws Exception {
    RunCount count = RunCount.in(folder, "count");
    Posted first = Posted.script("own-1", count.add());
    stack.post(first);
    RequestStatus one = stack.statuses().awaitEnd("own-1");
    stack.post(first.as("own-2").with("dedup", "always"));
    RequestStatus two = stack.statuses().awaitEnd("own-2");

    assertThat(two.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(two.job()).isNotEqualTo(one.job());
    assertThat(count.runs()).isEqualTo(2);
  }

  @Test
  void theProducersOwnKeyMakesOthersEqual() throws Exception {
    Map<String, String> key = Map.of("key", "weights-of-" + folder.getFileName());
    stack.post(Posted.script("key-1", "echo '#stoker:result 1'").with("dedup", key));
    RequestStatus one = stack.statuses().awaitEnd("key-1");
    stack.post(Posted.script("key-2", "echo '#stoker:result 2'").with("dedup", key));
    RequestStatus two = stack.statuses().awaitEnd("key-2");

    assertThat(two.cached()).isTrue();
    assertThat(two.job()).isEqualTo(one.job());
    assertThat(two.result()).isEqualTo(Json.read("1"));
  }

  @Test
  void theSameIdWithEqualContentIsTheSameRequest() throws Exception {
    RunCount count = RunCount.in(folder, "count");
    Posted posted = Posted.script("same", count.add()).with("priority", 1);
    stack.post(posted);
    RequestStatus end = stack.statuses().awaitEnd("same");

    // Equal as JSON, though not in its bytes.
    stack.producer().request("other-key", posted.body().toPrettyString().getBytes());
    stack.producer().flush();
    stack.statuses().awaitAgain(end);

    assertThat(stack.statuses().newest()).containsEntry("same", end);
    assertThat(count.runs()).isEqualTo(1);
  }

  @Test
  void theSameIdWithOtherContentIsRefusedAndTheFirstStays() throws Exception {
    RunCount other = RunCount.in(folder, "other");
    stack.post(Posted.script("taken", "echo '#stoker:result 1'"));
    RequestStatus end = stack.statuses().awaitEnd("taken");
    Posted intruder = Posted.script("taken", other.add());
    stack.post(intruder);

    stack
        .deadLetters()
        .await(
            letter ->
                "taken".equals(letter.key()) && letter.reason().contains("with other content"),
            "for the reused id");
    // What comes after it on the same partition has been answered, so the refused one has been too.
    stack.producer().request("taken", Posted.script("taken-after", "exit 0").bytes());
    stack.producer().flush();
    stack.statuses().awaitEnd("taken-after");

    stack
        .statuses()
        .awaitLasts(lasts -> end.equals(lasts.get("taken")), "the first to be said last");
    assertThat(stack.statuses().seen("taken"))
        .noneMatch(status -> status.state() == RequestState.REJECTED);
    assertThat(Files.exists(other.file())).isFalse();
  }

  /** The numbers that are whole, a line each. */
  private static List<Long> written(Path pids) throws IOException {
    return Files.exists(pids) && Files.readString(pids).endsWith("\n")
        ? Files.readAllLines(pids).stream().map(Long::valueOf).toList()
        : List.of();
  }

  private void cancel(String id) {
    ControlMessage message = new ControlMessage.Cancel("control-" + id, id, "changed my mind");
    stack.producer().send(new ProducerRecord<>(stack.topics().control(), id, Json.bytes(message)));
    stack.producer().flush();
  }
}
