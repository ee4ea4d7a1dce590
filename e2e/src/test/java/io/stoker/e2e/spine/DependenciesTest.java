package io.stoker.e2e.spine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.stoker.common.json.Json;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.e2e.stack.DeadLetterLog.Letter;
import io.stoker.e2e.stack.Posted;
import io.stoker.e2e.stack.Rest;
import io.stoker.e2e.stack.SharedStack;
import io.stoker.e2e.stack.StatusLog;
import io.stoker.e2e.stack.StokerStack;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What waits for what: by id, in any order of arrival. */
@ExtendWith(SharedStack.class)
@Timeout(1_200)
class DependenciesTest {
  @TempDir Path folder;

  private final StokerStack stack;

  DependenciesTest(StokerStack stack) {
    this.stack = stack;
  }

  @Test
  void aDependentRunsAfterAllAndGetsTheirResultsInItsOrder() throws Exception {
    Gate gate = Gate.in(folder, "gate");
    RunCount count = RunCount.in(folder, "count");
    stack.post(
        Posted.script("in-1", "echo '#stoker:result 10'"),
        Posted.script("in-2", gate.await() + "echo '#stoker:result 20'"),
        Posted.script(
                "out", count.add() + "echo \"#stoker:result $(cat \"$STOKER_DEPENDENCIES\")\"")
            .dependingOn("in-2", "in-1"));
    stack.statuses().awaitEnd("in-1");
    stack.statuses().await("in-2", RequestState.RUNNING);
    stack.statuses().await("out", RequestState.WAITING);
    assertThat(count.runs()).isZero();
    gate.open();

    RequestStatus end = stack.statuses().awaitEnd("out");

    assertThat(end.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(end.result())
        .isEqualTo(Json.read("[{\"id\":\"in-2\",\"result\":20},{\"id\":\"in-1\",\"result\":10}]"));
  }

  @Test
  void aDependencyMayComeAfterItsDependents() {
    stack.post(
        Posted.script("early-2", "exit 0 # early-2").dependingOn("early-1"),
        Posted.script("early-1", "exit 0 # early-1").dependingOn("late"));
    stack.statuses().await("early-1", RequestState.WAITING);
    stack.statuses().await("early-2", RequestState.WAITING);

    stack.post(Posted.script("late", "exit 0 # late"));

    assertThat(stack.statuses().awaitEnd("early-2").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd("early-1").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void theFirstFailureFailsTheDependentsAtOnceAndTheirDependentsToo() throws Exception {
    Gate gate = Gate.in(folder, "gate");
    RunCount count = RunCount.in(folder, "count");
    stack.post(
        Posted.script("slow", gate.await()),
        Posted.script("broken", "exit 9"),
        Posted.script("after-broken", count.add()).dependingOn("slow", "broken"),
        Posted.script("far-behind", count.add()).dependingOn("after-broken"));

    RequestStatus dependent = stack.statuses().awaitEnd("after-broken");
    RequestStatus further = stack.statuses().awaitEnd("far-behind");
    boolean slowRunsOn =
        stack.statuses().history("slow").stream()
            .noneMatch(entry -> entry.status().state() == RequestState.SUCCEEDED);
    gate.open();

    assertThat(slowRunsOn).isTrue();
    assertThat(dependent.state()).isEqualTo(RequestState.FAILED);
    assertThat(dependent.code()).isEqualTo(Code.DEPENDENCY_FAILED);
    assertThat(dependent.reason()).isEqualTo("caused by failure of broken");
    assertThat(further.code()).isEqualTo(Code.DEPENDENCY_FAILED);
    assertThat(further.reason()).isEqualTo("caused by failure of after-broken");
    assertThat(stack.statuses().awaitEnd("slow").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(count.runs()).isZero();
  }

  @Test
  void anEarlierFailureOfAnEqualFailsNobody() throws Exception {
    Gate repaired = Gate.in(folder, "repaired");
    Posted first = Posted.script("retry-1", "[ -e '" + repaired.file() + "' ] || exit 3");
    stack.post(first);
    assertThat(stack.statuses().awaitEnd("retry-1").state()).isEqualTo(RequestState.FAILED);
    stack.post(Posted.script("on-failed", "exit 0 # of retry").dependingOn("retry-1"));
    assertThat(stack.statuses().awaitEnd("on-failed").reason())
        .isEqualTo("caused by failure of retry-1");
    repaired.open();

    stack.post(
        first.as("retry-2"), Posted.script("on-rerun", "exit 0 # of retry").dependingOn("retry-2"));
    RequestStatus dependent = stack.statuses().awaitEnd("on-rerun");

    assertThat(dependent.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd("retry-2").state()).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void anEqualGraphIsAnsweredWithoutARun() throws Exception {
    RunCount count = RunCount.in(folder, "count");
    Posted leaf = Posted.script("leaf-1", count.add());
    Posted root = Posted.script("root-1", count.add() + "echo '#stoker:result 5'");
    stack.post(leaf, root.dependingOn("leaf-1"));
    RequestStatus ran = stack.statuses().awaitEnd("root-1");

    stack.post(leaf.as("leaf-2"), root.as("root-2").dependingOn("leaf-2"));
    RequestStatus answered = stack.statuses().awaitEnd("root-2");

    assertThat(answered.cached()).isTrue();
    assertThat(answered.job()).isEqualTo(ran.job());
    assertThat(answered.fingerprint()).isEqualTo(ran.fingerprint());
    assertThat(count.runs()).isEqualTo(2);
  }

  @Test
  void aDependentOfARerunIsAskedAnew() throws Exception {
    RunCount count = RunCount.in(folder, "count");
    Posted leaf = Posted.script("anew-leaf-1", "exit 0 # anew");
    Posted root = Posted.script("anew-root-1", count.add());
    stack.post(leaf, root.dependingOn("anew-leaf-1"));
    RequestStatus first = stack.statuses().awaitEnd("anew-root-1");

    // A run of its own is another meaning, and so is what is made of it.
    stack.post(
        leaf.as("anew-leaf-2").with("dedup", "always"),
        root.as("anew-root-2").dependingOn("anew-leaf-2"));
    RequestStatus second = stack.statuses().awaitEnd("anew-root-2");

    assertThat(second.state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(second.cached()).isFalse();
    assertThat(second.fingerprint()).isNotEqualTo(first.fingerprint());
    assertThat(count.runs()).isEqualTo(2);
  }

  @Test
  void aCycleIsRefusedWhenItClosesAndTheOthersGoOn() throws Exception {
    stack.post(
        Posted.script("ring-1", "exit 0 # ring-1").dependingOn("ring-3"),
        Posted.script("ring-2", "exit 0 # ring-2").dependingOn("ring-1"));
    stack.statuses().await("ring-1", RequestState.WAITING);
    stack.statuses().await("ring-2", RequestState.WAITING);

    stack.post(Posted.script("ring-3", "exit 0 # ring-3").dependingOn("ring-2"));
    RequestStatus refused = stack.statuses().await("ring-3", RequestState.REJECTED);
    Letter letter =
        stack
            .deadLetters()
            .await(one -> one.text().contains("ring-3") && one.reason().contains("cycle"), "");
    await("the refusal to be known")
        .atMost(StatusLog.PATIENCE)
        .untilAsserted(
            () ->
                assertThat(new Rest(stack).json("/explain/ring-1").path("sentence").asText())
                    .isEqualTo("waits for ring-3 (REJECTED)"));
    // A refusal claims no id: without the cycle it is accepted, and the others follow.
    stack.post(Posted.script("ring-3", "exit 0 # ring-3"));

    assertThat(refused.code()).isEqualTo(Code.DEPENDENCY_CYCLE);
    assertThat(refused.version()).isZero();
    assertThat(refused.reason()).contains("ring-1", "ring-2", "ring-3");
    assertThat(letter.reason()).contains("ring-1", "ring-2", "ring-3");
    assertThat(stack.statuses().awaitEnd("ring-2").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().awaitEnd("ring-1").state()).isEqualTo(RequestState.SUCCEEDED);
    assertThat(stack.statuses().await("ring-3", RequestState.SUCCEEDED).version()).isPositive();
  }

  @Test
  void aDependencyThatIsNeverPostedIsWaitedForSoLongAndNoLonger() {
    stack.post(
        Posted.script("waits", "exit 0 # waits")
            .dependingOn("never-posted")
            .with("dependencyTimeout", "300ms"));

    RequestStatus end = stack.statuses().awaitEnd("waits");

    assertThat(end.state()).isEqualTo(RequestState.FAILED);
    assertThat(end.code()).isEqualTo(Code.DEPENDENCY_TIMEOUT);
    assertThat(end.reason()).contains("never-posted");
  }
}
