package io.stoker.dispatcher.dedup;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.ReadyRow;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BindingTest {
  private final Scene scene = new Scene();

  private static ARequest same(String id) {
    return aRequest(id).meaning("the same");
  }

  @Test
  void theFirstOfAMeaningStartsAJobInLine() {
    scene.post(same("a"));

    assertThat(scene.state("a")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("a")).isTrue();
    assertThat(scene.status("a").shared()).isFalse();
    assertThat(scene.status("a").cached()).isFalse();
  }

  @Test
  void requestsOfDifferentMeaningsShareNothing() {
    scene.post(aRequest("a"), aRequest("b"));

    assertThat(scene.store().jobs()).hasSize(2);
  }

  /** How far the first request is when an equal one comes. */
  enum Reached {
    QUEUED(scene -> scene),
    PLACED(
        scene -> {
          scene.place("a", "h1");
          return scene;
        }),
    RUNNING(
        scene -> {
          scene.run("a");
          return scene;
        });

    private final UnaryOperator<Scene> reach;

    Reached(UnaryOperator<Scene> reach) {
      this.reach = reach;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLiveEqualIsSharedHoweverFarItIs(Reached reached) {
    scene.post(same("a"));
    reached.reach.apply(scene);

    scene.post(same("b"));

    assertThat(scene.job("b")).isEqualTo(scene.job("a"));
    assertThat(scene.state("b")).isEqualTo(RequestState.valueOf(reached.name()));
    assertThat(scene.status("b").shared()).isTrue();
    assertThat(scene.status("b").cached()).isFalse();
  }

  @Test
  void equalsInOneBatchShare() {
    scene.post(same("a"), same("b"), same("c"));

    assertThat(scene.store().jobs()).hasSize(1);
    scene.succeed("a");
    assertThat(scene.state("b")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.state("c")).isEqualTo(RequestState.SUCCEEDED);
  }

  @Test
  void aSucceededEqualAnswersAtOnce() {
    scene.post(same("a"));
    scene.succeed("a");

    scene.post(same("b"));

    assertThat(scene.state("b")).isEqualTo(RequestState.SUCCEEDED);
    assertThat(scene.status("b").cached()).isTrue();
    assertThat(scene.store().jobs()).hasSize(1);
  }

  @Test
  void aFailedEqualRunsAgain() {
    scene.post(same("a"));
    scene.fail("a");

    scene.post(same("b"));

    assertThat(scene.job("b")).isNotEqualTo(scene.job("a"));
    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.state("a")).isEqualTo(RequestState.FAILED);
  }

  @Test
  void aCancelledEqualRunsAgain() {
    scene.post(same("a"));
    scene.cancel("a");

    scene.post(same("b"));

    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("b")).isTrue();
  }

  @Test
  void sharersFailTogetherAndTheNextEqualRunsAnew() {
    scene.post(same("a"), same("b"));

    scene.fail("a");

    assertThat(scene.code("a")).isEqualTo(Code.APP_FAILURE);
    assertThat(scene.code("b")).isEqualTo(Code.SHARED_FAILURE);
    assertThat(scene.reason("b")).startsWith("the job shared with a ended: ");
    scene.post(same("c"));
    assertThat(scene.state("c")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void anEqualOfAJobThatIsEndingGetsOneThatWaitsForIt() {
    scene.post(same("a"));
    scene.run("a");
    scene.cancel("a");

    scene.post(same("b"));

    assertThat(scene.job("b").role()).isEqualTo(Role.SUCCESSOR);
    assertThat(scene.inLine("b")).isFalse();
    assertThat(scene.reason("b")).isEqualTo("waits for an equal job to end");
    scene.report("a", Type.ENDED, Outcome.CANCELLED, null);
    assertThat(scene.state("a")).isEqualTo(RequestState.CANCELLED);
    assertThat(scene.job("b").role()).isEqualTo(Role.HOLDER);
    assertThat(scene.inLine("b")).isTrue();
  }

  @Test
  void everyFurtherEqualSharesTheOneThatWaits() {
    scene.post(same("a"));
    scene.run("a");
    scene.cancel("a");

    scene.post(same("b"), same("c"));
    scene.post(same("d"));

    assertThat(scene.job("c")).isEqualTo(scene.job("b"));
    assertThat(scene.job("d")).isEqualTo(scene.job("b"));
    assertThat(scene.store().ready()).isEmpty();
  }

  @Test
  void resourcesThatTheLiveJobDoesNotSatisfyAreNotShared() {
    scene.post(same("a").gpus(1));
    scene.run("a");

    scene.post(same("b").gpus(2));

    assertThat(scene.job("b")).isNotEqualTo(scene.job("a"));
    assertThat(scene.job("b").role()).isEqualTo(Role.SUCCESSOR);
  }

  @Test
  void whatAsksForLessSharesTheLiveJob() {
    scene.post(same("a").gpus(2));

    scene.post(same("b").gpus(1));

    assertThat(scene.job("b")).isEqualTo(scene.job("a"));
  }

  @Test
  void theSucceededEqualAnswersWhateverResourcesAreAsked() {
    scene.post(same("a"));
    scene.succeed("a");

    scene.post(same("b").gpus(8));

    assertThat(scene.status("b").cached()).isTrue();
  }

  @Test
  void aRunOfItsOwnIsNobodyElses() {
    scene.post(same("a").always(), same("b").always(), same("c"));

    assertThat(scene.store().jobs()).hasSize(3);
    scene.succeed("a");
    scene.post(same("d").always());
    assertThat(scene.state("d")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void theProducersOwnKeyIsTheWholeMeaning() {
    scene.post(aRequest("a").key("k"), aRequest("b").key("k"), aRequest("c").key("other"));

    assertThat(scene.job("b")).isEqualTo(scene.job("a"));
    assertThat(scene.job("c")).isNotEqualTo(scene.job("a"));
  }

  @Test
  void theHighestPriorityOfAllSharersCountsAlsoInLine() {
    scene.post(same("a").priority(1));
    scene.post(same("b").priority(7));
    scene.post(same("c").priority(3));

    assertThat(scene.job("a").priority()).isEqualTo(7);
    assertThat(scene.store().ready().values()).extracting(ReadyRow::priority).containsExactly(7);
  }

  @Test
  void aSharerWithAHigherPriorityDoesNotPutARunningJobInLine() {
    scene.post(same("a"));
    scene.run("a");

    scene.post(same("b").priority(7));

    assertThat(scene.store().ready()).isEmpty();
  }

  @Test
  void theMostGenerousLimitsOfAllSharersCount() {
    scene.post(same("a").with("timeout", "60s").retry("app", 2));
    scene.post(same("b").with("timeout", "120s"));

    assertThat(scene.job("a").policy().timeoutMs()).isEqualTo(120_000);
    assertThat(scene.job("a").policy().attempts(FailureCategory.APP)).isEqualTo(3);
    scene.post(same("c"));
    assertThat(scene.job("a").policy().timeoutMs()).as("one knows no limit").isNull();
  }

  @Test
  void bindingRaisesTheVersionByOne() {
    scene.post(same("a"));
    scene.run("a");

    scene.post(same("b"));

    assertThat(scene.status("b").version()).isEqualTo(scene.store().now() + 1);
    long version = scene.status("b").version();
    scene.succeed("a");
    assertThat(scene.status("b").version()).isGreaterThan(version);
  }
}
