package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.Code;
import io.stoker.common.state.JobState;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import io.stoker.dispatcher.scenario.Scene;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnsatisfiableTest {
  private static final long ARRIVED = 1_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @ParameterizedTest
  @CsvSource({
    "59999, true, false",
    "60000, true, true",
    "9999999, false, false",
  })
  void whatNoHostCanEverServeIsGivenUpOnceTheQueuesPatienceIsOver(
      long waitedMs, boolean configured, boolean over) {
    Optional<Duration> patience = configured ? Optional.of(PATIENCE) : Optional.empty();

    Map<String, String> overdue =
        overdue(aHost("h"), aRequest("r").resource("cpus", 9), patience, waitedMs);

    assertThat(overdue)
        .isEqualTo(over ? Map.of("job", "no host can ever serve 9 CPU slot(s)") : Map.of());
  }

  @Test
  void whatWaitsForRoomOrForAHostToComeBackIsNot() {
    Optional<Duration> patience = Optional.of(PATIENCE);

    assertThat(overdue(aHost("h").reserves(0, 4), aRequest("r"), patience, 99_999_999)).isEmpty();
    assertThat(overdue(aHost("h").cordoned(), aRequest("r"), patience, 99_999_999)).isEmpty();
  }

  @Test
  void itsRequestFailsWithTheReasonUnlessItWasPlacedMeanwhile() {
    Scene scene = new Scene();
    scene.post(aRequest("a"));
    scene.post(aRequest("b").meaning("other"));
    JobRow placed = scene.job("b");
    scene.place("b", "h1");
    JobRow waits = scene.job("a");

    scene.transaction(
        unit ->
            Unsatisfiable.apply(
                unit,
                new Verdicts(
                    Map.of(waits.id(), "too large", placed.id(), "too large"),
                    Map.of(),
                    Set.of())));

    assertThat(scene.job("a").state()).isEqualTo(JobState.FAILED);
    assertThat(scene.job("a").code()).isEqualTo(Code.UNSATISFIABLE);
    assertThat(scene.job("a").reason()).isEqualTo("too large");
    assertThat(scene.job("b").state()).isEqualTo(JobState.PLACED);
  }

  @Test
  void itsStatusSaysSoOnceAndNoMoreAfterwards() {
    Scene scene = new Scene();
    scene.post(aRequest("a").meaning("same"), aRequest("sharer").meaning("same"));
    String job = scene.job("a").id();
    long before = scene.status("a").version();

    tell(scene, job);
    RequestStatus told = scene.status("a");
    assertThat(told.state()).isEqualTo(RequestState.QUEUED);
    assertThat(told.code()).isEqualTo(Code.UNSATISFIABLE);
    assertThat(told.reason()).isEqualTo("too large");
    assertThat(told.version()).isEqualTo(before + 1);
    assertThat(scene.status("sharer").code()).isEqualTo(Code.UNSATISFIABLE);
    tell(scene, job);
    assertThat(scene.status("a").version()).as("said already").isEqualTo(before + 1);

    withdraw(scene, job);
    assertThat(scene.status("a").code()).isNull();
    assertThat(scene.status("a").reason()).isNull();
    assertThat(scene.status("a").version()).isEqualTo(before + 2);
    withdraw(scene, job);
    assertThat(scene.status("a").version()).isEqualTo(before + 2);
  }

  @Test
  void whatWasPlacedMeanwhileSaysNothingOfIt() {
    Scene scene = new Scene();
    scene.post(aRequest("a"));
    String job = scene.job("a").id();
    scene.place("a", "h1");
    tell(scene, job);
    assertThat(scene.status("a").code()).isNull();
    assertThat(scene.status("a").state()).isEqualTo(RequestState.PLACED);
  }

  @Test
  void onceItIsPlacedOrCancelledItSaysSoNoMore() {
    Scene scene = new Scene();
    scene.post(aRequest("a"), aRequest("b").meaning("other"));
    tell(scene, scene.job("a").id());
    tell(scene, scene.job("b").id());

    scene.place("a", "h1");
    scene.cancel("b");

    assertThat(scene.status("a").code()).isNull();
    assertThat(scene.status("a").reason()).isNull();
    assertThat(scene.status("b").code()).isEqualTo(Code.CANCELLED);
  }

  @Test
  void whereNobodyCanServeOneItHasTheNeedsOfAnotherWhoSharesIt() {
    Scene scene = new Scene();
    scene.post(aRequest("a").meaning("same").resource("avoid", List.of("h")));
    scene.post(aRequest("b").meaning("same").resource("memory", "1GiB"));
    scene.post(aRequest("c").meaning("same").resource("cpus", 99));
    JobRow job = scene.job("a");
    tell(scene, job.id());
    assertThat(job.asked().shape()).isEqualTo(Shape.of(request("a", scene)).text());

    assertThat(otherNeeds(scene, aHost("elsewhere"))).as("as it is now").isNotEmpty();
    assertThat(scene.job("a").asked().shape()).isEqualTo(Shape.of(request("b", scene)).text());
    assertThat(scene.store().ready().get(job.id()).shape())
        .isEqualTo(scene.job("a").asked().shape());
    assertThat(scene.status("a").code()).isNull();
  }

  @Test
  void whereNobodyCanServeAnyOfThemItKeepsItsNeeds() {
    Scene scene = new Scene();
    scene.post(aRequest("a").meaning("same").resource("avoid", List.of("h")));
    scene.post(aRequest("c").meaning("same").resource("cpus", 99));
    String before = scene.job("a").asked().shape();

    assertThat(otherNeeds(scene, aHost("h"))).isEmpty();

    assertThat(scene.job("a").asked().shape()).isEqualTo(before);
  }

  private static JobRequest request(String id, Scene scene) {
    return StoredRequest.parse(scene.request(id));
  }

  private static Set<String> otherNeeds(Scene scene, AHost host) {
    Set<String> changed = new HashSet<>();
    Snapshot snapshot =
        FleetView.of(
            List.of(host.row()),
            List.of(),
            List.of(),
            any -> true,
            id -> Optional.of(host.heartbeat()),
            any -> Set.of());
    scene.transaction(
        unit ->
            changed.addAll(
                OtherNeeds.apply(
                    unit, snapshot, Map.of(scene.job("a").id(), scene.store().requests()))));
    return changed;
  }

  private static void tell(Scene scene, String job) {
    Verdicts verdicts = new Verdicts(Map.of(), Map.of(job, "too large"), Set.of());
    scene.transaction(unit -> Unsatisfiable.apply(unit, verdicts));
  }

  private static void withdraw(Scene scene, String job) {
    Verdicts verdicts = new Verdicts(Map.of(), Map.of(), Set.of(job));
    scene.transaction(unit -> Unsatisfiable.apply(unit, verdicts));
  }

  private static Map<String, String> overdue(
      AHost host, ARequest request, Optional<Duration> patience, long waitedMs) {
    Shape shape = Shape.of(request.build().resources());
    QueueHead head =
        QueueHeads.head("job", "q", shape, 0, Arrival.first(ARRIVED), List.of(), Set.of());
    QueueSettings queue =
        new QueueSettings(
            "q",
            1,
            OptionalInt.empty(),
            OptionalInt.empty(),
            true,
            patience,
            false,
            QueueSettings.AGING);
    Snapshot snapshot =
        FleetView.of(
                List.of(host.row()),
                List.of(),
                List.of(head),
                any -> true,
                id -> Optional.of(host.heartbeat()),
                any -> Set.of())
            .shared(Map.of("q", Standing.fresh(queue)), List.of(), ARRIVED + waitedMs);
    HopelessLines found =
        new HopelessLines(Map.of(Line.of(head), new HopelessLines.Finding(ARRIVED, ARRIVED)));
    return Unsatisfiable.overdue(snapshot, PlacementPass.decide(snapshot, Long.MAX_VALUE), found);
  }
}
