package io.stoker.dispatcher.timer;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.attempt.JobEnd;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.scenario.Scene;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimeOutsTest {
  private static final long SECOND = 1000;

  private final Scene scene = new Scene();

  @BeforeEach
  void unasked() {
    scene.store().takeDue();
  }

  @Test
  void aDependencyThatIsNeverPostedFailsItsDependentAndTheDependentsOfThat() {
    scene.post(aRequest("b").dependsOn("never").with("dependencyTimeout", "60s"));
    scene.post(aRequest("c").dependsOn("b"));
    scene.store().takeDue();

    runOut(60 * SECOND);

    assertThat(scene.state("b")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("b")).isEqualTo(Code.DEPENDENCY_TIMEOUT);
    assertThat(scene.reason("b")).isEqualTo("dependency never was not posted in time");
    assertThat(scene.reason("c")).isEqualTo("caused by failure of b");
    assertThat(scene.store().takeDue()).as("statuses that nothing names").contains("b", "c");
  }

  @Test
  void aDependencyTimeoutConcernsNoDependencyThatWasPosted() {
    scene.post(aRequest("b").dependsOn("a").with("dependencyTimeout", "60s"));
    scene.post(aRequest("a"));

    runOut(60 * SECOND);

    assertThat(scene.state("b")).isEqualTo(RequestState.WAITING);
    assertThat(scene.store().timers()).isEmpty();
  }

  @Test
  void aRequestWaitsInTheQueueNoLongerThanItWants() {
    scene.post(aRequest("a").with("queueTimeout", "5s"));
    runOut(5 * SECOND - 1);
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);

    runOut(1);

    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("a")).isEqualTo(Code.QUEUE_TIMEOUT);
    assertThat(scene.inLine("a")).isFalse();
    assertThat(scene.store().takeDue()).contains("a");
  }

  @Test
  void aSharersPatienceEndsThatSharerAlone() {
    scene.post(
        aRequest("a").meaning("same"), aRequest("b").meaning("same").with("queueTimeout", "5s"));

    runOut(5 * SECOND);

    assertThat(scene.state("b")).isEqualTo(RequestState.FAILED);
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("a")).isTrue();
  }

  @Test
  void whatRunsIsPastItsQueueTimeout() {
    scene.post(aRequest("a").with("queueTimeout", "5s"));
    scene.run("a");

    runOut(5 * SECOND);

    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void whatIsPlacedInVainHasNoMoreTimeToWait() {
    scene.post(aRequest("a").with("queueTimeout", "60s"));
    scene.place("a", "h1");
    runOut(60 * SECOND);
    assertThat(scene.state("a")).isEqualTo(RequestState.PLACED);

    scene.report("a", Type.ENDED, Outcome.RETURNED, null);
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    runOut(10 * SECOND);

    assertThat(scene.code("a")).isEqualTo(Code.QUEUE_TIMEOUT);
  }

  @Test
  void whatHasRunWaitsAnewAsLongAsItWants() {
    scene.post(aRequest("a").with("queueTimeout", "60s"));
    scene.run("a");
    runOut(60 * SECOND);
    runOut(30 * SECOND);
    scene.transaction(
        unit -> JobEnd.lost(unit, unit.jobs().get(scene.job("a").id()), "h1", "gone"));
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);

    runOut(59 * SECOND);
    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    runOut(SECOND);

    assertThat(scene.code("a")).isEqualTo(Code.QUEUE_TIMEOUT);
  }

  @Test
  void whatHasEndedHasNoTimerOfWaiting() {
    scene.post(aRequest("a").with("queueTimeout", "5s"), aRequest("b"));
    scene.run("a");
    runOut(5 * SECOND);
    assertThat(scene.store().timers()).hasSize(1);

    scene.succeed("a");
    assertThat(scene.store().timers()).isEmpty();

    scene.transaction(
        unit -> {
          JobEnd.succeeded(unit, unit.jobs().get(scene.job("b").id()), null, null);
          assertThat(unit.stoppedTimers()).as("it had none").isEmpty();
        });
  }

  @Test
  void aSharersOwnShorterTimeoutEndsThatSharerAlone() {
    scene.post(
        aRequest("a").meaning("same").with("timeout", "60s"),
        aRequest("b").meaning("same").with("timeout", "5s"));
    scene.store().pass(3 * SECOND);
    scene.run("a");

    runOut(4 * SECOND);
    assertThat(scene.state("b")).as("it counts from the start").isEqualTo(RequestState.RUNNING);
    runOut(SECOND);

    assertThat(scene.state("b")).isEqualTo(RequestState.FAILED);
    assertThat(scene.code("b")).isEqualTo(Code.TIMED_OUT);
    assertThat(scene.reason("b"))
        .isEqualTo("the job that it shares has run longer than its own timeout of 5 s");
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    assertThat(scene.told(ToAgent.Cancel.class)).isEmpty();
    scene.succeed("a");
    assertThat(scene.state("a")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("b")).isEqualTo(RequestState.FAILED);
  }

  @Test
  void whoStartedAJobIsTimedToo() {
    scene.post(aRequest("a").meaning("same").with("timeout", "5s"));
    scene.run("a");
    scene.post(aRequest("b").meaning("same"));

    runOut(5 * SECOND);

    assertThat(scene.code("a")).isEqualTo(Code.TIMED_OUT);
    assertThat(scene.state("b")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void whatWaitsInLineDoesNotRun() {
    scene.post(aRequest("a").meaning("same"), aRequest("b").meaning("same").with("timeout", "5s"));
    runOut(5 * SECOND);
    runOut(5 * SECOND);
    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
    scene.run("a");
    runOut(5 * SECOND);
    assertThat(scene.code("b")).isEqualTo(Code.TIMED_OUT);
  }

  @Test
  void theJobEndsWithTheLastWhoWantsIt() {
    scene.post(
        aRequest("a").meaning("same").with("timeout", "60s"),
        aRequest("b").meaning("same").with("timeout", "5s"));
    scene.run("a");
    scene.cancel("a");

    runOut(5 * SECOND);

    assertThat(scene.state("b")).isEqualTo(RequestState.FAILED);
    assertThat(scene.told(ToAgent.Cancel.class)).hasSize(1);
    scene.report("b", Type.ENDED, Outcome.CANCELLED, null);
    assertThat(scene.state("b")).isEqualTo(RequestState.FAILED);
    assertThat(scene.store().attempts()).isEmpty();
  }

  @Test
  void theLongestTimeoutIsTheJobsOwn() {
    scene.post(
        aRequest("a").meaning("same").with("timeout", "5s"),
        aRequest("b").meaning("same").with("timeout", "5s"));
    scene.run("a");

    runOut(5 * SECOND);

    assertThat(scene.state("b")).as("its agent ends it").isEqualTo(RequestState.RUNNING);
  }

  @Test
  void sharersOfARunEachHaveTheirOwnTimeout() {
    scene.post(aRequest("a").meaning("same").with("timeout", "6s"));
    scene.run("a");
    scene.post(aRequest("b").meaning("same").with("timeout", "20s"));
    assertThat(scene.told(ToAgent.SetTimeout.class))
        .extracting(ToAgent.SetTimeout::timeoutMs)
        .containsExactly(20 * SECOND);
    scene.post(aRequest("c").meaning("same"));
    assertThat(scene.told(ToAgent.SetTimeout.class).getLast().timeoutMs()).isNull();

    runOut(6 * SECOND);
    assertThat(scene.code("a")).isEqualTo(Code.TIMED_OUT);
    assertThat(scene.state("b")).isEqualTo(RequestState.RUNNING);
    runOut(14 * SECOND);
    assertThat(scene.code("b")).isEqualTo(Code.TIMED_OUT);
    scene.succeed("c");

    assertThat(scene.state("c")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void whoStartedAJobIsTimedByItsOwnTimeoutHoweverManyShareIt() {
    scene.post(
        aRequest("a").meaning("same").with("timeout", "6s"),
        aRequest("b").meaning("same").with("timeout", "20s"),
        aRequest("c").meaning("same"));
    scene.run("a");
    assertThat(scene.told(ToAgent.SetTimeout.class)).as("it was placed with all").isEmpty();

    runOut(SECOND);
    assertThat(scene.state("a")).isEqualTo(RequestState.RUNNING);
    runOut(5 * SECOND);

    assertThat(scene.code("a")).isEqualTo(Code.TIMED_OUT);
    assertThat(scene.state("b")).isEqualTo(RequestState.RUNNING);
  }

  @Test
  void aHostIsToldAgainThatARunHasMoreTime() {
    scene.post(aRequest("a").meaning("same").with("timeout", "60s"));
    scene.run("a");
    scene.post(aRequest("b").meaning("same"));
    int told = scene.told(ToAgent.SetTimeout.class).size();

    runOut(SECOND);

    assertThat(scene.told(ToAgent.SetTimeout.class)).hasSizeGreaterThan(told);
  }

  private void runOut(long ms) {
    scene.store().pass(ms);
    scene.transaction(unit -> TimeOuts.apply(unit, scene.store().dueTimers(), neverPosted()));
  }

  private Map<String, String> neverPosted() {
    Map<String, String> waits = new HashMap<>();
    for (TimerRow timer : scene.store().dueTimers()) {
      scene.store().dependencies().stream()
          .filter(edge -> edge.dependent().equals(timer.request()))
          .filter(edge -> scene.request(edge.dependsOn()).isPlaceholder())
          .forEach(edge -> waits.put(edge.dependent(), edge.dependsOn()));
    }
    return waits;
  }
}
