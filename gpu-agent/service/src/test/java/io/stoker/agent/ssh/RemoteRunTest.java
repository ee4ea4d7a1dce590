package io.stoker.agent.ssh;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.Input.Cause;
import io.stoker.agent.ssh.LinkException.Kind;
import io.stoker.agent.ssh.Look.State;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class RemoteRunTest {
  private static final byte[] NONE = {};
  private static final FollowRules RULES =
      new FollowRules(
          3,
          Duration.ofSeconds(30),
          Duration.ofSeconds(30),
          Optional.of(Duration.ofMinutes(10)),
          Duration.ofSeconds(1));

  private RemoteRun run = RemoteRun.fresh(RULES, 0);
  private long now;

  private List<RunStep> on(RunEvent event) {
    RemoteRun.Turn turn = run.on(event, now);
    run = turn.run();
    return turn.steps().stream().filter(step -> !(step instanceof RunStep.Note)).toList();
  }

  private static RunEvent told(State state) {
    return told(state, 0, false, null);
  }

  private static RunEvent told(State state, long value, boolean more, String unusable) {
    return new RunEvent.Told(
        new Look(state, value, NONE, NONE, more, NONE, Optional.ofNullable(unusable)));
  }

  private static RunEvent unreachable() {
    return new RunEvent.Failed(Kind.UNREACHABLE, "nobody answers");
  }

  private static RunEvent broken() {
    return new RunEvent.Failed(Kind.BROKEN, "cut");
  }

  private static RunStep ended(Integer code, String note) {
    return new RunStep.Ended(
        code == null ? OptionalInt.empty() : OptionalInt.of(code), note, false);
  }

  private static RunStep waits(long ms) {
    return new RunStep.Wait(ms);
  }

  private void begun() {
    on(new RunEvent.Begin());
    assertThat(on(told(State.ALIVE))).containsExactly(new RunStep.Began(), waits(100));
  }

  @Test
  void aJobIsStartedLookedAtAndTold() {
    assertThat(on(new RunEvent.Begin())).containsExactly(new RunStep.Start());
    assertThat(on(told(State.STARTING))).containsExactly(waits(1_000));
    assertThat(on(new RunEvent.Waited())).containsExactly(new RunStep.Look());
    assertThat(on(told(State.ALIVE))).containsExactly(new RunStep.Began(), waits(100));
    on(new RunEvent.Waited());
    assertThat(on(told(State.EXITED, 3, true, null))).containsExactly(new RunStep.Look());
    assertThat(on(told(State.EXITED, 3, false, null))).containsExactly(ended(3, null));
  }

  @Test
  void longJobsAreLookedAtSeldom() {
    begun();
    for (int i = 0; i < 30; i++) {
      on(told(State.ALIVE));
    }
    assertThat(on(told(State.ALIVE))).containsExactly(waits(1_000));
  }

  @Test
  void aNodeThatIsNotThereIsTriedAsOftenAsIsSet() {
    on(new RunEvent.Begin());
    assertThat(on(unreachable())).containsExactly(waits(30_000));
    assertThat(on(new RunEvent.Waited())).containsExactly(new RunStep.Start());
    assertThat(on(unreachable())).containsExactly(waits(30_000));
    on(new RunEvent.Waited());
    assertThat(on(unreachable()))
        .containsExactly(new RunStep.NotBegun(Cause.LAUNCH, "nobody answers (3 tries)"));
  }

  @Test
  void whatAPersonMustLookAtIsNotTriedAgain() {
    on(new RunEvent.Begin());
    assertThat(on(new RunEvent.Failed(Kind.REFUSED, "key changed")))
        .containsExactly(new RunStep.NotBegun(Cause.LAUNCH, "key changed"));
  }

  @Test
  void aLinkThatBreaksAtTheStartMayHaveStartedIt() {
    on(new RunEvent.Begin());
    assertThat(on(broken())).containsExactly(waits(1_000));
    assertThat(on(new RunEvent.Waited())).containsExactly(new RunStep.Look());
    for (int i = 0; i < 10; i++) {
      assertThat(on(unreachable())).containsExactly(waits(30_000));
    }
    assertThat(on(told(State.UNCLAIMED))).containsExactly(new RunStep.Start());
  }

  @Test
  void aDroppedLinkFailsNoJobWithinTheLimit() {
    begun();
    assertThat(on(broken())).containsExactly(waits(1_000));
    now = 600_000;
    assertThat(on(unreachable())).containsExactly(waits(30_000));
    assertThat(on(told(State.EXITED, 0, false, null))).containsExactly(ended(0, null));
  }

  @Test
  void beyondTheLimitAndTheTimeForTheNodeToEndItItIsLost() {
    begun();
    on(broken());
    now = 630_001;
    assertThat(on(unreachable()))
        .containsExactly(ended(null, "its node could not be reached for 630 s: nobody answers"));
  }

  @Test
  void theLimitCountsFromWhenTheNodeMayHaveHeardOfUs() {
    begun();
    now = 500_000;
    on(broken());
    now = 1_000_000;
    assertThat(on(unreachable())).containsExactly(waits(30_000));
  }

  @Test
  void aChangedHostKeyDoesNotFailAJobThatRuns() {
    begun();
    assertThat(on(new RunEvent.Failed(Kind.REFUSED, "key changed"))).containsExactly(waits(1_000));
    assertThat(on(new RunEvent.Failed(Kind.REFUSED, "key changed"))).containsExactly(waits(30_000));
  }

  @Test
  void killedBeforeAnythingWasAskedItNeverBegins() {
    on(new RunEvent.Begin());
    on(unreachable());
    assertThat(on(new RunEvent.Kill(100)))
        .containsExactly(new RunStep.NotBegun(Cause.UNCLAIMED, "it was ended before it began"));
  }

  @Test
  void aKillGoesOutAtOnceAndAgainAfterADroppedLink() {
    begun();
    assertThat(on(new RunEvent.Kill(500))).containsExactly(new RunStep.Stop(500));
    assertThat(on(broken())).containsExactly(waits(1_000));
    assertThat(on(new RunEvent.Waited())).containsExactly(new RunStep.Stop(500));
    assertThat(on(told(State.ALIVE))).containsExactly(waits(100));
    assertThat(on(new RunEvent.Waited())).containsExactly(new RunStep.Look());
    assertThat(on(told(State.EXITED, 143, false, null))).containsExactly(ended(143, null));
  }

  @Test
  void aKillThatCameBeforeTheProcessIsSentAgain() {
    on(new RunEvent.Begin());
    assertThat(on(told(State.STARTING))).containsExactly(waits(1_000));
    assertThat(on(new RunEvent.Kill(500))).containsExactly(new RunStep.Stop(500));
    assertThat(on(told(State.STARTING))).containsExactly(waits(1_000));
    assertThat(on(new RunEvent.Waited())).containsExactly(new RunStep.Stop(500));
    assertThat(on(told(State.ALIVE))).containsExactly(new RunStep.Began(), waits(100));
    assertThat(on(new RunEvent.Waited())).containsExactly(new RunStep.Look());
  }

  @Test
  void aHarderKillReplacesASofterOne() {
    begun();
    on(new RunEvent.Kill(500));
    on(told(State.ALIVE));
    assertThat(on(new RunEvent.Kill(0))).containsExactly(new RunStep.Stop(0));
    on(told(State.ALIVE));
    assertThat(on(new RunEvent.Kill(900))).containsExactly(new RunStep.Look());
  }

  @Test
  void adoptedItIsLookedAt() {
    assertThat(on(new RunEvent.Resume(true))).containsExactly(new RunStep.Look());
    assertThat(on(told(State.ALIVE))).containsExactly(waits(100));
  }

  @Test
  void adoptedWithoutABeginningItIsStarted() {
    on(new RunEvent.Resume(false));
    assertThat(on(told(State.NONE))).containsExactly(new RunStep.Start());
  }

  @Test
  void whatHadBegunAndIsNotThereIsLost() {
    on(new RunEvent.Resume(true));
    assertThat(on(told(State.NONE)))
        .containsExactly(ended(null, "its folder on the node has gone"));
  }

  @Test
  void whatWentAwayIsSweptAndLookedAtOnceMore() {
    begun();
    assertThat(on(told(State.GONE))).containsExactly(new RunStep.Sweep());
    assertThat(on(told(State.GONE, 0, true, null))).containsExactly(new RunStep.Look());
    assertThat(on(told(State.GONE))).containsExactly(ended(null, null));
  }

  @Test
  void anExitCodeThatComesLateCounts() {
    begun();
    on(told(State.GONE));
    assertThat(on(told(State.EXITED, 5, false, null))).containsExactly(ended(5, null));
  }

  @Test
  void whatNeverGetsAProcessIsGivenUp() {
    on(new RunEvent.Begin());
    for (int i = 0; i < 20; i++) {
      assertThat(on(told(State.STARTING))).containsExactly(waits(1_000));
    }
    assertThat(on(told(State.STARTING))).containsExactly(new RunStep.Sweep());
    assertThat(on(told(State.STARTING)))
        .containsExactly(ended(null, "it died on its node before it had a process"));
  }

  @Test
  void whatCannotBeginOnTheNodeIsALaunchFailure() {
    on(new RunEvent.Begin());
    assertThat(on(told(State.EXITED, 127, false, "program x was not found")))
        .containsExactly(new RunStep.Ended(OptionalInt.of(127), "program x was not found", true));
  }

  @Test
  void aNodeThatIsGoneEndsWhatRanOnIt() {
    begun();
    assertThat(on(new RunEvent.NoNode("instance terminated", true)))
        .containsExactly(ended(null, "instance terminated"));
  }

  @Test
  void aNodeThatCannotBeHadFailsTheLaunch() {
    on(new RunEvent.Begin());
    assertThat(on(new RunEvent.NotYet(5_000))).containsExactly(waits(5_000));
    assertThat(on(new RunEvent.Waited())).containsExactly(new RunStep.Start());
    assertThat(on(new RunEvent.NoNode("no capacity", false)))
        .containsExactly(new RunStep.NotBegun(Cause.LAUNCH, "no capacity"));
  }

  @Test
  void refusedAtTheLastMomentItIsReturned() {
    on(new RunEvent.Begin());
    assertThat(on(new RunEvent.Refused(Cause.REFUSED, "the lease is over")))
        .containsExactly(new RunStep.NotBegun(Cause.REFUSED, "the lease is over"));
  }

  @Test
  void refusedAfterItMayHaveBegunItIsRevokedFirst() {
    on(new RunEvent.Begin());
    on(broken());
    on(told(State.UNCLAIMED));
    assertThat(on(new RunEvent.Refused(Cause.REFUSED, "the lease is over")))
        .containsExactly(new RunStep.Stop(0));
    assertThat(on(told(State.REVOKED)))
        .containsExactly(new RunStep.NotBegun(Cause.UNCLAIMED, "it was ended before it began"));
  }
}
