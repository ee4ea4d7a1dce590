package io.stoker.agent.loop;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.attempt.AttemptKey;
import io.stoker.agent.attempt.Effect;
import io.stoker.agent.attempt.JournalEntry.Floor;
import io.stoker.agent.attempt.JournalEntry.Offset;
import io.stoker.agent.attempt.RunKey;
import io.stoker.agent.attempt.WorkerKey;
import io.stoker.agent.device.Allocation;
import io.stoker.common.message.Workload;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class HeldEffectsTest {
  private static final AttemptKey A = new AttemptKey("a", 1);
  private static final AttemptKey B = new AttemptKey("b", 1);
  private static final WorkerKey ONE = new WorkerKey("pool", "start", 1);
  private static final WorkerKey TWO = new WorkerKey("pool", "start", 2);
  private static final Effect ENTRY = new Effect.Journal(new Floor("a", 1, 1));
  private static final Effect OFFSET = new Effect.Journal(new Offset(7));
  private static final Effect BEAT = new Effect.SayHeartbeat(1, 1, 1);
  private static final Effect DEADLINE = new Effect.MoveDeadline(1);
  private static final Effect CLOSE = new Effect.CloseLog(A);

  private final HeldEffects held = new HeldEffects();

  @Test
  void theLeaseIsRenewedAndWhatIsToEndEndsAtOnce() {
    assertThat(held.hold(List.of(ENTRY, kill(B), BEAT, CLOSE, DEADLINE, new Effect.RemoveRun(B))))
        .containsExactly(kill(B), BEAT, DEADLINE, new Effect.RemoveRun(B));
    assertThat(held.none()).isFalse();
    assertThat(held.all()).containsExactly(ENTRY, CLOSE);
  }

  @Test
  void theRestIsDoneInOrderOnceItIsJournaled() {
    held.hold(List.of(ENTRY, launch(A), OFFSET));
    held.hold(List.of(CLOSE));
    assertThat(held.take().due()).containsExactly(launch(A), OFFSET, CLOSE);
    assertThat(held.none()).isTrue();
  }

  @Test
  void whatWasToBeginAndToEndSinceDoesNotBegin_andIsToldOfHere() {
    held.hold(List.of(ENTRY, launch(A), launch(B)));
    assertThat(held.hold(List.of(ENTRY, kill(A)))).as("not before what it follows").isEmpty();
    HeldEffects.Taken taken = held.take();
    assertThat(taken.due()).containsExactly(launch(B));
    assertThat(taken.neverBegun()).containsExactly(A);
  }

  @Test
  void aWorkerThatWasGivenUpSinceIsNotStarted() {
    held.hold(List.of(ENTRY, startWorker(ONE), startWorker(TWO)));
    assertThat(held.hold(List.of(kill(ONE)))).as("not before what it follows").isEmpty();
    HeldEffects.Taken taken = held.take();
    assertThat(taken.due()).containsExactly(startWorker(TWO));
    assertThat(taken.neverBegun()).containsExactly(ONE);
  }

  @Test
  void whatBeginsAfterAnEndBegins() {
    held.hold(List.of(ENTRY, launch(A)));
    held.hold(List.of(kill(A)));
    held.hold(List.of(launch(A)));
    HeldEffects.Taken taken = held.take();
    assertThat(taken.due()).containsExactly(kill(A), launch(A));
    assertThat(taken.neverBegun()).isEmpty();
  }

  private static Effect kill(RunKey key) {
    return new Effect.Kill(key, 0);
  }

  private static Effect launch(AttemptKey key) {
    return new Effect.Launch(aPlace(key.job()).command("true").build(), given(key), 1);
  }

  private static Effect startWorker(WorkerKey key) {
    Workload.Process process = new Workload.Process(Workload.Program.NONE, Workload.Share.NONE);
    return new Effect.StartWorker(key, process, given(key));
  }

  private static Allocation given(RunKey key) {
    return new Allocation(key.toString(), List.of(), false, OptionalLong.empty(), 1);
  }
}
