package io.stoker.dispatcher.intake;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.request.CycleCheck;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.dedup.Binding;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.intake.Intake.Refusal;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.scenario.Scene;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class IntakeTest {
  private final Scene scene = new Scene();

  @Test
  void arrivalOrderIsKeptWithinABatchAndBetweenBatches() {
    scene.post(aRequest("c"), aRequest("a"));
    scene.store().pass(1);
    scene.post(aRequest("b"));

    List<String> inOrder =
        scene.store().requests().stream()
            .sorted(Comparator.comparing(RequestRow::seq))
            .map(RequestRow::id)
            .toList();
    assertThat(inOrder).containsExactly("c", "a", "b");
  }

  @Test
  void theSameRecordAgainChangesNothing() {
    scene.post(aRequest("a"));
    RequestRow before = scene.request("a");
    scene.store().pass(5000);

    List<Refusal> refusals = scene.post(aRequest("a"));

    assertThat(refusals).isEmpty();
    assertThat(scene.request("a")).isEqualTo(before);
    assertThat(scene.store().jobs()).hasSize(1);
  }

  @Test
  void theSameRecordAgainHasItsStatusPublishedAgain() {
    scene.post(aRequest("a"));
    UnitOfWork again = scene.store().open();

    new Intake(new Binding(null, new Queues(List.of())))
        .accept(again, List.of(aRequest("a").build()), new CycleCheck());

    assertThat(again.named()).containsExactly("a");
    assertThat(again.requests().updated()).isEmpty();
  }

  @Test
  void theSameIdTwiceInABatchIsOneRequest() {
    assertThat(scene.post(aRequest("a"), aRequest("a"))).isEmpty();

    assertThat(scene.store().jobs()).hasSize(1);
  }

  @Test
  void anIdWithOtherContentIsRefusedAndTheFirstOneStays() {
    scene.post(aRequest("a").priority(3));
    String spec = scene.request("a").spec();

    List<Refusal> refusals = scene.post(aRequest("a").priority(4), aRequest("b"));

    assertThat(refusals)
        .singleElement()
        .isInstanceOf(Refusal.IdTaken.class)
        .satisfies(refusal -> assertThat(refusal.request().id()).isEqualTo("a"));
    assertThat(scene.request("a").spec()).isEqualTo(spec);
    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void anIdIsTakenByTheEarlierOneOfItsOwnBatch() {
    assertThat(scene.post(aRequest("a").priority(3), aRequest("a").priority(4)))
        .singleElement()
        .isInstanceOf(Refusal.IdTaken.class);
    assertThat(scene.job("a").asked().priority()).isEqualTo(3);
  }

  @Test
  void aRequestWithDependenciesWaits() {
    scene.post(aRequest("a"));
    scene.post(aRequest("b").dependsOn("a"));

    assertThat(scene.state("b")).isEqualTo(RequestState.WAITING);
    assertThat(scene.request("b").missing()).isEqualTo(1);
    assertThat(scene.store().ready().values()).extracting(ReadyRow::job).hasSize(1);
  }

  @Test
  void anUnknownDependencyGetsAPlaceholderThatIsWaitedForSoLong() {
    scene.post(aRequest("b").dependsOn("a").with("dependencyTimeout", "1h"));

    assertThat(scene.request("a").isPlaceholder()).isTrue();
    assertThat(scene.store().timers())
        .containsEntry(TimerRow.Kind.DEPENDENCY_TIMEOUT, List.of("b"));
    scene.store().pass(3_600_000);
    assertThat(scene.store().dueTimers()).hasSize(1);
  }

  @Test
  void aKnownDependencyNeedsNoTimer() {
    scene.post(aRequest("a"), aRequest("b").dependsOn("a"));

    assertThat(scene.store().timers()).isEmpty();
  }

  @Test
  void aDependencyMayComeAfterItsDependent() {
    scene.post(aRequest("b").dependsOn("a"));
    scene.post(aRequest("a"));
    assertThat(scene.state("b")).isEqualTo(RequestState.WAITING);

    scene.succeed("a");

    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void aDependentOfWhatHasSucceededIsReadyAtOnce() {
    scene.post(aRequest("a"));
    scene.succeed("a");

    scene.post(aRequest("b").dependsOn("a"));

    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void aDependentOfWhatHasFailedFailsAtOnce() {
    scene.post(aRequest("a"));
    scene.fail("a");

    scene.post(aRequest("b").dependsOn("a"));

    assertThat(scene.state("b")).isEqualTo(RequestState.FAILED);
    assertThat(scene.reason("b")).isEqualTo("caused by failure of a");
  }

  @Test
  void aRequestWhoseCancelOvertookItIsCancelledWhenItArrives() {
    scene.cancel("a");
    scene.post(aRequest("b").dependsOn("a"));

    scene.post(aRequest("a"));

    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.code("a")).isEqualTo(Code.CANCELLED);
    assertThat(scene.reason("a")).isEqualTo("not needed");
    assertThat(scene.status("a").stopRequested()).isTrue();
    assertThat(scene.store().jobs()).isEmpty();
    assertThat(scene.reason("b")).isEqualTo("caused by failure of a");
  }

  @Test
  void theRequestThatClosesACycleIsRefusedWithItsPath() {
    scene.post(aRequest("a").dependsOn("b"), aRequest("b").dependsOn("c"));

    List<Refusal> refusals = scene.post(aRequest("c").dependsOn("a"), aRequest("d"));

    assertThat(refusals)
        .singleElement()
        .isInstanceOfSatisfying(
            Refusal.Cycle.class,
            cycle -> assertThat(cycle.path()).containsExactly("c", "a", "b", "c"));
    assertThat(scene.request("c").isPlaceholder()).isTrue();
    assertThat(scene.state("d")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void whoDependsOnWhatIsRefusedEndsAtOnceBeforeAndAfterwards() {
    scene.post(aRequest("before").dependsOn("a"), aRequest("next").dependsOn("before"));

    scene.transaction(unit -> Intake.refuse(unit, "a", Code.INVALID_REQUEST, "gpus: -1"));
    scene.post(aRequest("after").dependsOn("a"));

    for (String id : List.of("before", "after")) {
      assertThat(scene.state(id)).isEqualTo(RequestState.FAILED);
      assertThat(scene.code(id)).isEqualTo(Code.DEPENDENCY_FAILED);
      assertThat(scene.reason(id)).isEqualTo("caused by failure of a, which was refused: gpus: -1");
    }
    assertThat(scene.reason("next")).isEqualTo("caused by failure of before");
    assertThat(scene.store().timers()).isEmpty();
  }

  @Test
  void anIdThatWasRefusedIsOneLikeAnyOtherOnceItIsAccepted() {
    scene.transaction(unit -> Intake.refuse(unit, "a", Code.INVALID_REQUEST, "gpus: -1"));
    assertThat(scene.request("a").isPlaceholder()).isTrue();

    scene.post(aRequest("a"), aRequest("b").dependsOn("a"));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.reason("a")).isNull();
    assertThat(scene.state("b")).isEqualTo(RequestState.WAITING);
    scene.transaction(unit -> Intake.refuse(unit, "a", Code.INVALID_REQUEST, "gpus: -1"));
    assertThat(scene.state("a")).as("what is accepted stays so").isEqualTo(RequestState.QUEUED);
    scene.succeed("a");
    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void aCancelAndARefusalOfOneIdAreBothRemembered() {
    scene.cancel("a");
    scene.transaction(unit -> Intake.refuse(unit, "a", Code.INVALID_REQUEST, "gpus: -1"));
    scene.cancel("a");
    scene.post(aRequest("b").dependsOn("a"));
    assertThat(scene.state("b")).isEqualTo(RequestState.FAILED);

    scene.post(aRequest("a"));
    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.reason("a")).isEqualTo("not needed");
  }

  @Test
  void thoseThatACycleWasRefusedForGoOnOnceTheRequestComesWithoutIt() {
    scene.post(aRequest("a").dependsOn("b"));
    scene.post(aRequest("b").dependsOn("a"));
    assertThat(scene.state("a")).isEqualTo(RequestState.WAITING);

    scene.post(aRequest("b"));
    scene.succeed("b");

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void whoDependsOnWhatAFullQueueRefusedEndsAtOnce() {
    QueueSettings full =
        new QueueSettings(
            "q",
            1,
            OptionalInt.empty(),
            OptionalInt.of(1),
            true,
            Optional.empty(),
            false,
            QueueSettings.AGING);
    scene.post(aRequest("b").dependsOn("a"));

    scene.post(QueueLimits.unlimited().with(full, 1), aRequest("a").queue("q"));

    assertThat(scene.code("b")).isEqualTo(Code.DEPENDENCY_FAILED);
    assertThat(scene.reason("b")).startsWith("caused by failure of a, which was refused: queue: q");
  }

  @Test
  void aCycleWithinOneBatchIsRefusedToo() {
    assertThat(scene.post(aRequest("a").dependsOn("b"), aRequest("b").dependsOn("a")))
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.request().id()).isEqualTo("b"));
  }

  @Test
  void theFirstVersionIsTheClock() {
    scene.post(aRequest("waits").dependsOn("x"));
    scene.post(aRequest("bound"));

    assertThat(scene.status("waits").version()).isEqualTo(scene.store().now());
    assertThat(scene.status("bound").version()).isEqualTo(scene.store().now() + 1);
  }
}
