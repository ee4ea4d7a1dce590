package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.scenario.AHost;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

class UnsatisfiableJobsTest {
  private static final long ARRIVED = 1_000_000;
  private static final long GRACE = 10_000;
  private static final String SENTENCE =
      "no host can ever serve 4 CPU slot(s); it waits for a host that can";

  private UnsatisfiableJobs before = UnsatisfiableJobs.NOBODY;
  private QueueSettings queue = QueueSettings.plain("q");
  private int running;
  private List<LineVerdict> lines = List.of();

  @Test
  void itIsSaidOnceItHasBeenFoundForAWhile() {
    assertThat(pass(0, head(4), small()).tells()).isEmpty();
    assertThat(pass(9_999, head(4), small()).tells()).isEmpty();
    assertThat(pass(10_000, head(4), small()).tells()).isEqualTo(Map.of("job", SENTENCE));
  }

  @Test
  void itIsNotSaidAgainOfWhatSaysSoAlready() {
    pass(0, head(4), small());

    assertThat(pass(10_000, QueueHeads.toldNever(head(4)), small())).isEqualTo(nothing());
    assertThat(pass(99_000, QueueHeads.toldNever(head(4)), small())).isEqualTo(nothing());
  }

  @Test
  void untilAHostHasRegisteredNothingIsFound() {
    assertThat(pass(0, head(4))).isEqualTo(nothing());
    assertThat(pass(60_000, head(4))).isEqualTo(nothing());
    assertThat(pass(60_001, head(4), small())).as("the first of several").isEqualTo(nothing());
    assertThat(pass(65_000, head(4), small(), large())).isEqualTo(nothing());
    assertThat(pass(70_001, head(4), small(), large())).isEqualTo(nothing());
  }

  @Test
  void aPassThatFindsOtherwiseBeginsTheWhileAnew() {
    pass(0, head(4), small());
    pass(5_000, head(4), small(), large().cordoned());

    assertThat(pass(10_000, head(4), small())).isEqualTo(nothing());
    assertThat(pass(20_000, head(4), small()).tells()).containsKey("job");
  }

  @Test
  void whatOnlyWaitsIsNotSaidToWaitForever() {
    pass(0, head(2), small().reserves(0, 2));

    assertThat(pass(99_000, head(2), small())).isEqualTo(nothing());
  }

  @Test
  void itIsTakenBackWhenAHostHasComeThatCanServeItOnceItIsFreeOrBack() {
    assertThat(pass(0, QueueHeads.toldNever(head(4)), small(), large().reserves(0, 8)).withdraws())
        .containsExactly("job");
    assertThat(pass(0, QueueHeads.toldNever(head(4)), small(), large().cordoned()).withdraws())
        .containsExactly("job");
    assertThat(pass(0, QueueHeads.toldNever(head(4)), small(), large()))
        .as("it is placed")
        .isEqualTo(nothing());
  }

  @Test
  void whereItsQueueMayStartNoMoreNothingIsTakenBack() {
    queue = new QueueSettings("q", 1, OptionalInt.of(3), OptionalInt.empty(), true);
    running = 3;

    assertThat(pass(0, QueueHeads.toldNever(head(4)), small(), large())).isEqualTo(nothing());
  }

  @Test
  void whatItsQueueLetsWaitNoLongerEndsAndIsToldNothingElse() {
    queue = patient();

    pass(0, head(4), small());
    assertThat(pass(10_000, head(4), small()).tells())
        .isEqualTo(Map.of("job", SENTENCE + ", as long as its queue lets it"));
    Verdicts last = pass(30_000, head(4), small());
    assertThat(last.tells()).isEmpty();
    assertThat(last.ends()).containsExactly(Map.entry("job", SENTENCE.split(";")[0]));
  }

  @Test
  void itsQueuesPatienceCountsFromWhenItIsFoundFirstAndNotFromItsArrival() {
    queue = patient();
    pass(0, head(4), large().reserves(0, 8));

    assertThat(pass(99_000, head(4), small()).ends()).as("configured anew").isEmpty();
    assertThat(pass(128_999, QueueHeads.toldNever(head(4)), small()).ends()).isEmpty();
    assertThat(pass(129_000, QueueHeads.toldNever(head(4)), small()).ends()).containsKey("job");
  }

  @Test
  void aPassThatFindsOtherwiseOrNoHostAtAllBeginsItsQueuesPatienceAnew() {
    queue = patient();
    pass(0, head(4), small());
    pass(20_000, head(4), large().cordoned());
    assertThat(pass(30_000, head(4), small()).ends()).isEmpty();
    pass(50_000, head(4));

    assertThat(pass(60_000, head(4), small()).ends()).isEmpty();
    assertThat(pass(89_999, head(4), small()).ends()).isEmpty();
    assertThat(pass(90_000, head(4), small()).ends()).containsKey("job");
  }

  @Test
  void whoStoodBehindThemHasWaitedWithThemUnlessItCameLater() {
    queue = patient();
    pass(0, head(4), small());
    pass(30_000, head(4), small());

    assertThat(pass(31_000, head("behind", 1_000, 4), small()).ends()).containsKey("behind");
    assertThat(pass(32_000, head("later", 31_500, 4), small()).ends()).isEmpty();
    assertThat(pass(61_500, head("later", 31_500, 4), small()).ends()).containsKey("later");
  }

  @Test
  void whereItsQueueMayStartNoMoreItsPatienceGoesOn() {
    queue = patient();
    pass(0, head(4), small());
    queue =
        new QueueSettings(
            "q",
            1,
            OptionalInt.of(3),
            OptionalInt.empty(),
            true,
            queue.failUnsatisfiable(),
            false,
            QueueSettings.AGING);
    running = 3;
    assertThat(pass(30_000, head(4), small()).ends()).as("not looked at").isEmpty();
    running = 0;

    assertThat(pass(31_000, head(4), small()).ends()).containsKey("job");
  }

  private static QueueSettings patient() {
    return new QueueSettings(
        "q",
        1,
        OptionalInt.empty(),
        OptionalInt.empty(),
        true,
        Optional.of(Duration.ofSeconds(30)),
        false,
        QueueSettings.AGING);
  }

  @Test
  void whatSaysSoSpeaksForAllOfItsLine() {
    Line line = Line.of(head(4));

    pass(0, head(4), small());
    assertThat(lines).as("not before the first says so").isEmpty();
    pass(10_000, QueueHeads.toldNever(head(4)), small());
    assertThat(lines).containsExactly(new LineVerdict(line, SENTENCE, head(4).rank()));
    pass(11_000, QueueHeads.toldNever(head(4)), small(), large().reserves(0, 8));
    assertThat(lines).as("busy").containsExactly(new LineVerdict(line, null, head(4).rank()));
    pass(12_000, QueueHeads.toldNever(head(4)), small(), large());
    assertThat(lines).as("placed").containsExactly(new LineVerdict(line, null, head(4).rank()));
    pass(13_000, QueueHeads.toldNever(head(4)));
    assertThat(lines).as("no host at all").isEmpty();
  }

  @Test
  void whereItsQueueMayStartNoMoreNothingIsFoundOfItsLine() {
    queue = new QueueSettings("q", 1, OptionalInt.of(3), OptionalInt.empty(), true);
    running = 3;

    pass(0, QueueHeads.toldNever(head(4)), small(), large());

    assertThat(lines).isEmpty();
  }

  /** The next pass, so many ms after the job's arrival. */
  private Verdicts pass(long at, QueueHead head, AHost... hosts) {
    List<AHost> all = Arrays.asList(hosts);
    Snapshot snapshot =
        FleetView.of(
                all.stream().map(AHost::row).toList(),
                List.of(),
                List.of(head),
                any -> true,
                id ->
                    all.stream()
                        .filter(host -> host.row().id().equals(id))
                        .findFirst()
                        .map(AHost::heartbeat),
                any -> Set.of())
            .shared(
                Map.of("q", new Standing(queue, running, DeviceTime.NONE, DeviceTime.NONE)),
                List.of(),
                ARRIVED + at);
    UnsatisfiableJobs.Found found =
        before.after(snapshot, PlacementPass.decide(snapshot, Long.MAX_VALUE), GRACE, true);
    before = found.next();
    lines = found.lines();
    return found.verdicts();
  }

  private static AHost small() {
    return aHost("small").cpuSlots(2);
  }

  private static AHost large() {
    return aHost("large").cpuSlots(8);
  }

  private static Verdicts nothing() {
    return new Verdicts(Map.of(), Map.of(), Set.of());
  }

  private static QueueHead head(int cpus) {
    return head("job", 0, cpus);
  }

  private static QueueHead head(String job, long arrived, int cpus) {
    Shape shape = Shape.of(aRequest("r").resource("cpus", cpus).build().resources());
    return QueueHeads.head(
        job, "q", shape, 0, Arrival.first(ARRIVED + arrived), List.of(), Set.of());
  }
}
