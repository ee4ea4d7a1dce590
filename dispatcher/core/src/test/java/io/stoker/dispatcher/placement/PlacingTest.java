package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.AttemptEvent.Outcome;
import io.stoker.common.message.AttemptEvent.Type;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.Workload;
import io.stoker.common.message.Workload.Gpus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.JobPolicy;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.model.UnitOfWork;
import io.stoker.dispatcher.placement.Placing.Placed;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.CountedIds;
import io.stoker.dispatcher.scenario.Scene;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class PlacingTest {
  private final Scene scene = new Scene();

  @Test
  void whatGotOtherNeedsSinceItWasAssignedStaysInLine() {
    scene.post(aRequest("a").meaning("same").resource("memory", "2GiB"));
    Shape asked = Shape.parse(scene.job("a").asked().shape());
    scene.post(aRequest("b").meaning("same").resource("memory", "1GiB"));
    String job = scene.job("a").id();
    UnitOfWork unit = scene.store().open();

    Placing.Placed placed =
        new Placing(new CountedIds(), Scene.ACCEPT_WITHIN)
            .place(
                unit,
                List.of(new Assignment(job, "h1", Takes.of(0, 1))),
                one -> Optional.of(asked));

    assertThat(placed.opened()).isEmpty();
    assertThat(unit.takenFromReady()).isEmpty();
  }

  @Test
  void aPlacedJobIsOutOfTheLineAndHasAnOpenAttempt() {
    scene.post(aRequest("a"));

    AttemptRow attempt = scene.place("a", "h1");

    assertThat(scene.state("a")).isEqualTo(RequestState.PLACED);
    assertThat(scene.inLine("a")).isFalse();
    assertThat(attempt.state()).isEqualTo(AttemptRow.State.PLACED);
    assertThat(attempt.number()).isEqualTo(1);
    assertThat(attempt.placedAt()).isEqualTo(scene.store().now());
    assertThat(attempt.notAfter()).isEqualTo(scene.store().now() + Scene.ACCEPT_WITHIN);
  }

  @Test
  void everyAttemptHasAHigherNumberAndAnotherToken() {
    scene.post(aRequest("a"));
    AttemptRow first = scene.place("a", "h1");
    scene.report("a", Type.ENDED, Outcome.RETURNED, null);

    AttemptRow second = scene.place("a", "h1");

    assertThat(second.number()).isEqualTo(2);
    assertThat(second.token()).isNotEqualTo(first.token());
  }

  @Test
  void numbersThatMayHaveBeenGivenAreNeverGivenAgain() {
    JobPolicy plain = JobPolicy.of(aRequest("a").build());
    JobPolicy restored =
        new JobPolicy(plain.attempts(), null, false, null, false, null, null, 1_002, null);
    scene.post(aRequest("a"));
    JobRow job = scene.job("a").change().policy(restored).build();

    JobRow first = job.change().placed("h1").build();
    assertThat(first.latest().number()).isEqualTo(1_003);
    assertThat(first.change().queued("returned").placed("h1").build().latest().number())
        .isEqualTo(1_004);
    assertThat(restored.with(plain).whileOpen(plain).afterAttempt().aging(1).numbersGiven())
        .isEqualTo(1_002);
  }

  @Test
  void aJobThatIsNotInLineAnyMoreIsPassedOver() {
    scene.post(aRequest("a"), aRequest("b"));
    scene.cancel("a");
    scene.place("b", "h1");

    UnitOfWork unit = scene.store().open();
    Placed placed =
        new Placing(new CountedIds(), 1)
            .place(
                unit,
                List.of(
                    new Assignment(scene.job("a").id(), "h2", Takes.of(0, 1)),
                    new Assignment(scene.job("b").id(), "h2", Takes.of(0, 1))));

    assertThat(placed.opened()).isEmpty();
    assertThat(placed.unreadable()).isEmpty();
    assertThat(unit.attempts().inserted()).isEmpty();
  }

  @Test
  void nothingIsOpenedForAJobThatCannotBeReadAndItKeepsItsPlace() {
    scene.post(aRequest("bad"), aRequest("a"));
    UnitOfWork unit = scene.store().open();
    unit.requests().put(unit.requests().get("bad").inForce("{\"id\":1}"));

    Placed placed =
        new Placing(new CountedIds(), 1)
            .place(
                unit,
                List.of(
                    new Assignment(scene.job("bad").id(), "h1", Takes.of(0, 1)),
                    new Assignment(scene.job("a").id(), "h1", Takes.of(0, 1))));

    assertThat(placed.unreadable()).containsOnlyKeys(scene.job("bad").id());
    assertThat(placed.opened()).extracting(AttemptRow::job).containsExactly(scene.job("a").id());
    assertThat(placed.messages()).containsOnlyKeys(placed.opened().getFirst().key());
    assertThat(unit.jobs().get(scene.job("bad").id()).latest().number()).isZero();
    assertThat(unit.takenFromReady()).containsExactly(scene.job("a").id());
  }

  @Test
  void whatNeedsMoreThanIsAtHandHasNoMessageYet() {
    scene.post(aRequest("x"), aRequest("a").dependsOn("x"));
    scene.succeed("x");
    UnitOfWork unit = scene.store().open();

    Placed placed =
        new Placing(new CountedIds(), 1)
            .place(unit, List.of(new Assignment(scene.job("a").id(), "h1", Takes.of(0, 1))));

    assertThat(placed.opened()).hasSize(1);
    assertThat(placed.messages()).isEmpty();
  }

  @Test
  void aJobThatWaitsForAnEqualToEndIsPassedOver() {
    scene.post(aRequest("a").meaning("same"));
    scene.run("a");
    scene.cancel("a");
    scene.post(aRequest("b").meaning("same"));

    UnitOfWork unit = scene.store().open();
    new Placing(new CountedIds(), 1)
        .place(unit, List.of(new Assignment(scene.job("b").id(), "h2", Takes.of(0, 1))));

    assertThat(unit.attempts().inserted()).isEmpty();
  }

  @Test
  void sharersAreOwedThePlacement() {
    scene.post(aRequest("a").meaning("same"), aRequest("b").meaning("same"));
    scene.store().takeDue();

    scene.place("a", "h1");

    assertThat(scene.store().takeDue()).contains("b");
  }

  @Test
  void thePlacementTellsAllThatItsAgentNeeds() {
    scene.post(
        aRequest("a")
            .dependsOn("x")
            .with("workdir", "/srv")
            .with("group", "g")
            .with("timeout", "2m")
            .resource("gpuMemory", "1GiB")
            .gpus(2));
    scene.post(aRequest("x"));
    scene.succeed("x");
    AttemptRow attempt = scene.place("a", "h1");
    var request = aRequest("a").dependsOn("x").with("workdir", "/srv").with("group", "g").build();

    var message = message(attempt, "a", request);

    assertThat(message.job()).isEqualTo(scene.job("a").id());
    assertThat(message.attempt()).isEqualTo(1);
    assertThat(message.token()).isEqualTo(attempt.token());
    assertThat(message.notAfter()).isEqualTo(attempt.notAfter());
    assertThat(message.request()).isEqualTo("a");
    assertThat(message.program().command()).containsExactly("echo", "a");
    assertThat(message.program().workdir()).contains("/srv");
    assertThat(message.given().group()).contains("g");
    assertThat(message.timeoutMs()).isEqualTo(120_000);
    Gpus gpus = message.workload().share().gpus();
    assertThat(gpus.memory()).hasValue(1L << 30);
    assertThat(gpus.count()).as("what it was given").isZero();
    assertThat(message.given().dependencies())
        .singleElement()
        .satisfies(d -> assertThat(d.id()).isEqualTo("x"));
  }

  private ToAgent.Place message(AttemptRow attempt, String request, JobRequest asked) {
    return PlacementMessage.of(
        attempt, scene.job(request), asked, Optional.empty(), Map.of(), Map.of(), null);
  }

  @Test
  void gpusOfAMachineElsewhereAreAskedForByThemselves() {
    ARequest far = aRequest("far").resource("type", "ssh").gpus(1).resource("device", "1");
    far.resource("gpuMemory", "6GiB").resource("sharing", "shared");
    scene.post(far, aRequest("near").gpus(2));
    AttemptRow onNode =
        scene.place(new Assignment(scene.job("far").id(), "h1", new Takes.Remote("ssh", 1)));
    AttemptRow onHost = scene.place("near", "h1");

    var message = message(onNode, "far", far.build());
    assertThat(message.workload())
        .isEqualTo(
            new Workload.Remote(
                "ssh",
                message.program(),
                new Gpus(1, OptionalLong.of(6L << 30), true, Optional.of("1"))));
    assertThat(message.workload().share()).as("of its host").isEqualTo(Workload.Share.NONE);
    assertThat(onNode.takes().gpus()).as("for its queue").isEqualTo(1);
    assertThat(message(onHost, "near", aRequest("near").gpus(2).build()).workload())
        .isInstanceOf(Workload.Process.class);
  }

  @Test
  void hostMemoryIsAskedForByMeasurementAndMoreAfterItRanOut() {
    ARequest says = aRequest("m").resource("memory", "1GiB").retry("hostOom", 3);
    scene.post(says);
    AttemptRow first = scene.place("m", "h1");
    JobRequest request = says.build();
    assertThat(hostMemory(first, request, null)).isEqualTo(1L << 30);
    Estimate three =
        new MemoryRules(1, 0)
            .estimate(Of.HOST, From.LIKE_JOBS, new Peaks(List.of(3L << 30), 1))
            .orElseThrow();
    assertThat(hostMemory(first, request, three)).isEqualTo(3L << 30);

    scene.report("m", Type.ENDED, Outcome.FAILED, FailureCategory.HOST_OOM);
    AttemptRow second = scene.place("m", "h1");

    assertThat(hostMemory(second, request, null)).isEqualTo(3L << 29);
    assertThat(PlacementMessage.hostKeys(scene.job("m"), request)).isPresent();
  }

  @Test
  void aContainerIsGivenNoLessThanItSaysWhateverWasMeasured() {
    ARequest says = aRequest("m").with("image", "alpine").resource("memory", "64MiB");
    scene.post(says);
    AttemptRow attempt = scene.place("m", "h1");
    Estimate little =
        new MemoryRules(1, 0)
            .estimate(Of.HOST, From.EQUAL_JOBS, new Peaks(List.of(1L << 20), 1))
            .orElseThrow();

    assertThat(hostMemory(attempt, says.build(), little)).isEqualTo(64L << 20);
  }

  @Test
  void whoIsPromisedNoHostMemoryNeedsNoLookUp() {
    scene.post(aRequest("a"));

    assertThat(PlacementMessage.hostKeys(scene.job("a"), aRequest("a").build())).isEmpty();
  }

  private long hostMemory(AttemptRow attempt, JobRequest request, Estimate expected) {
    return PlacementMessage.of(
            attempt, scene.job("m"), request, Optional.empty(), Map.of(), Map.of(), expected)
        .program()
        .memory()
        .orElseThrow();
  }
}
