package io.stoker.dispatcher.dedup;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.message.RequestStatus.AnsweredBy;
import io.stoker.common.request.Fingerprint;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.Unsatisfiable;
import io.stoker.dispatcher.placement.Verdicts;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"gpus\": 1}",
        "{\"gpus\": 1, \"device\": \"0\"}",
        "{\"gpus\": 1, \"cpuFallback\": false}",
        "{\"hosts\": 3}",
        "{\"require\": {\"model\": \"none\"}}",
        "{\"type\": \"ssh\"}",
      })
  void aSuccessWithOtherResourcesThatAJobSeesAnswersNobody(String resources) throws Exception {
    scene.post(same("a"));
    scene.succeed("a");

    scene.post(same("b").resources(resources));
    assertThat(scene.state("b")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.status("b").shared()).isFalse();
    assertThat(scene.inLine("b")).isTrue();

    scene.post(same("c").resources(resources), same("d"));
    assertThat(scene.job("c")).isEqualTo(scene.job("b"));
    assertThat(scene.status("d").cached()).isTrue();
  }

  @Test
  void aLiveJobWithOtherResourcesThatItSeesIsNotSharedAndNotWaitedFor() {
    scene.post(same("a").gpus(1));
    scene.run("a");

    scene.post(same("b").gpus(2));

    assertThat(scene.job("b")).isNotEqualTo(scene.job("a"));
    assertThat(scene.job("b").role()).isEqualTo(Role.HOLDER);
    assertThat(scene.inLine("b")).isTrue();
  }

  @Test
  void whatAJobCannotSeeIsSharedHoweverItDiffers() {
    scene.post(same("a").gpus(1));
    scene.run("a");

    scene.post(same("b").gpus(1).resource("gpuMemory", "80GiB").priority(9));
    assertThat(scene.job("b")).isEqualTo(scene.job("a"));
    scene.succeed("a");
    scene.post(same("c").gpus(1).resource("sharing", "shared").resource("memory", "1TiB"));
    assertThat(scene.status("c").cached()).isTrue();
  }

  @Test
  void whoSharesOrIsAnsweredIsToldByWhom() {
    scene.post(same("a"), same("b"));
    String job = scene.job("a").id();
    assertThat(scene.status("a").answeredBy()).isNull();
    assertThat(scene.status("b").answeredBy()).isEqualTo(new AnsweredBy("a", job));
    scene.succeed("a");
    scene.post(same("c"));
    assertThat(scene.status("c").answeredBy()).isEqualTo(new AnsweredBy("a", job));
  }

  @Test
  void whoWaitedForAnEqualThatSucceededAllTheSameIsToldSo() {
    scene.post(same("a"));
    scene.run("a");
    String job = scene.job("a").id();
    scene.cancel("a");
    scene.post(same("b"), same("c"));

    scene.report("a", Type.ENDED, Outcome.SUCCEEDED, null);

    for (String id : List.of("b", "c")) {
      RequestStatus status = scene.status(id);
      assertThat(status.state()).isEqualTo(RequestState.SUCCEEDED);
      assertThat(status.answeredBy()).isEqualTo(new AnsweredBy("a", job));
      assertThat(status.shared()).isTrue();
      assertThat(status.cached()).isTrue();
      assertThat(status.startedAt()).isNull();
    }
  }

  /** A job of a replica of before resources were part of the meaning. */
  private void formerly(ARequest request) {
    JobRequest posted = request.build();
    scene.transaction(
        unit -> {
          RequestRow row = RequestRow.arrived(posted, Arrival.first(unit.now()), unit.now(), false);
          String former = Fingerprint.former(posted, List.of());
          JobRow job = JobRow.first("former-" + posted.id(), former, Role.HOLDER, row, posted);
          unit.putJob(job);
          unit.requests().put(row.bound(job, false, false, unit.now()));
          unit.makeReady(job);
        });
  }

  @Test
  void whatWasFormerlyRunAnswersWhoAsksForTheSameResources() {
    formerly(same("a").gpus(1));
    scene.post(same("live").gpus(1));
    assertThat(scene.job("live")).isEqualTo(scene.job("a"));
    scene.succeed("a");

    scene.post(same("b").gpus(1), same("other").gpus(2));
    assertThat(scene.status("b").cached()).isTrue();
    assertThat(scene.job("b")).isEqualTo(scene.job("a"));
    assertThat(scene.state("other")).isEqualTo(RequestState.QUEUED);
  }

  @Test
  void whatWasFormerlyRunWithResourcesDoesNotAnswerWhoAsksForNone() {
    formerly(same("a").gpus(1));
    scene.succeed("a");

    scene.post(same("plain"));
    assertThat(scene.state("plain")).isEqualTo(RequestState.QUEUED);
    scene.post(same("equal"));
    assertThat(scene.job("equal")).isEqualTo(scene.job("plain"));
    scene.succeed("plain");
    scene.post(same("later"), same("gpu").gpus(1));
    assertThat(scene.job("later")).isEqualTo(scene.job("plain"));
    assertThat(scene.job("gpu")).as("nothing is run again").isEqualTo(scene.job("a"));
  }

  @Test
  void aDependentOfWhatWasFormerlyRunIsTakenForNoOtherOnes() {
    formerly(same("a").gpus(1));
    scene.succeed("a");
    scene.post(aRequest("on-gpu").meaning("next").dependsOn("a"));
    scene.succeed("on-gpu");

    scene.post(same("plain"), aRequest("on-cpu").meaning("next").dependsOn("plain"));
    scene.succeed("plain");
    assertThat(scene.state("on-cpu")).isEqualTo(RequestState.QUEUED);

    scene.post(same("again").gpus(1), aRequest("answered").meaning("next").dependsOn("again"));
    assertThat(scene.status("answered").cached()).isTrue();
    assertThat(scene.job("answered")).isEqualTo(scene.job("on-gpu"));
  }

  @Test
  void anEqualOfWhatFormerlyRunsAndIsEndingWaitsForIt() {
    formerly(same("a").gpus(1));
    scene.run("a");
    scene.cancel("a");

    scene.post(same("b").gpus(1), same("plain"));

    assertThat(scene.job("b").role()).isEqualTo(Role.SUCCESSOR);
    assertThat(scene.job("plain").role()).isEqualTo(Role.HOLDER);
    assertThat(scene.inLine("plain")).isTrue();
  }

  @Test
  void whoWaitsForAnotherOnesEndSinceBeforeIsNotAnsweredByIt() {
    formerly(same("a").gpus(1));
    scene.run("a");
    JobRequest plain = same("plain").build();
    scene.transaction(
        unit -> {
          RequestRow row = RequestRow.arrived(plain, Arrival.first(unit.now()), unit.now(), false);
          String former = Fingerprint.former(plain, List.of());
          JobRow job = JobRow.first("former-plain", former, Role.SUCCESSOR, row, plain);
          unit.putJob(job);
          unit.requests().put(row.bound(job, false, false, unit.now()));
        });

    scene.succeed("a");

    assertThat(scene.state("plain")).isEqualTo(RequestState.QUEUED);
    assertThat(scene.inLine("plain")).isTrue();
  }

  @Test
  void aWaitingJobHasTheNeedsOfWhoAsksForLess() {
    scene.post(same("a").gpus(1).resource("gpuMemory", "500GiB"));
    scene.post(same("b").gpus(1).resource("gpuMemory", "1GiB"));

    assertThat(scene.job("b")).isEqualTo(scene.job("a"));
    assertThat(needs("a").gpuMemory()).isEqualTo(1L << 30);
    assertThat(scene.store().ready().get(scene.job("a").id()).shape())
        .isEqualTo(scene.job("a").asked().shape());
    scene.post(same("c").gpus(1).resource("gpuMemory", "2GiB"));
    assertThat(needs("a").gpuMemory()).isEqualTo(1L << 30);
    scene.cancel("b");
    assertThat(needs("a").gpuMemory()).as("the least of those who are left").isEqualTo(2L << 30);
    assertThat(scene.store().ready().get(scene.job("a").id()).shape())
        .isEqualTo(scene.job("a").asked().shape());
  }

  @Test
  void needsAreThoseOfOneAndNeverSomeOfEach() {
    scene.post(same("a").resource("memory", "2GiB"));
    scene.post(same("b").resource("memory", "1GiB").resource("avoid", List.of("h1")));

    assertThat(needs("a")).isEqualTo(Shape.of(same("a").resource("memory", "2GiB").build()));
  }

  @Test
  void whereNoHostCanServeThemTheNextOnesCount() {
    scene.post(same("a").resource("memory", "2GiB"));
    scene.transaction(
        unit ->
            Unsatisfiable.apply(
                unit, new Verdicts(Map.of(), Map.of(scene.job("a").id(), "too large"), Set.of())));

    scene.post(same("b").resource("memory", "3GiB").with("user", "ann"));

    assertThat(needs("a").user()).isEqualTo("ann");
  }

  @Test
  void anOpenAttemptKeepsWhatItWasGiven() {
    scene.post(same("a").resource("memory", "2GiB"));
    scene.run("a");

    scene.post(same("b").resource("memory", "1GiB"));

    assertThat(needs("a").memory()).isEqualTo(2L << 30);
    assertThat(scene.store().ready()).isEmpty();
  }

  private Shape needs(String request) {
    return Shape.parse(scene.job(request).asked().shape());
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

    assertThat(scene.job("a").asked().priority()).isEqualTo(7);
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

    assertThat(scene.job("a").asked().policy().timeoutMs()).isEqualTo(120_000);
    assertThat(scene.job("a").asked().policy().attempts(FailureCategory.APP)).isEqualTo(3);
    scene.post(same("c"));
    assertThat(scene.job("a").asked().policy().timeoutMs()).as("one knows no limit").isNull();
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
