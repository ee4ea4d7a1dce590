package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.HostMessage.DeviceTelemetry;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.lease.HostRow;
import io.stoker.dispatcher.ledger.Arrival;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.placement.Preemption.Plan;
import io.stoker.dispatcher.placement.Snapshot.Head;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Who makes room for whom. */
class PreemptionTest {
  private static final long NOW = 100_000_000;
  private static final long MINUTE = 60_000;
  private static final long TIME = 10 * MINUTE;

  private final List<AHost> hosts = new ArrayList<>();
  private final List<Head> heads = new ArrayList<>();
  private final List<Running> running = new ArrayList<>();
  private final Map<String, Standing> standings = new HashMap<>();
  private List<Claim> claims = List.of();
  private final List<Hold> holds = new ArrayList<>();
  private Long used;

  @Test
  void aHigherPriorityOfTheSameQueueTakesTheRoomOfALowerOne() {
    hosts.add(aHost("h1").gpus(1));
    runs("low", 0, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));

    Plan plan = decide().orElseThrow();

    assertThat(plan.victims()).extracting(Running::job).containsExactly("low");
    assertThat(plan.hold())
        .isEqualTo(new Hold("urgent", "default", List.of("h1"), 1, 0, NOW, null, null));
  }

  @Test
  void whoDoesNotAllowItOrIsNewOrAsUrgentIsLeft() {
    hosts.add(aHost("h1").gpus(3));
    runs("firm", 0, "default", 30, false, "h1", 1);
    runs("new", 0, "default", 9, "h1", 1);
    runs("equal", 5, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));
    assertThat(decide()).isEmpty();
  }

  @Test
  void nothingIsTakenUnlessThatMakesItFit() {
    hosts.add(aHost("h1").gpus(2));
    hosts.add(aHost("h2").gpus(2));
    for (String host : List.of("h1", "h2")) {
      runs("low-" + host, 0, "default", 30, host, 1);
      runs("firm-" + host, 0, "default", 30, false, host, 1);
    }
    waits("urgent", aRequest("r").gpus(2).priority(5));
    assertThat(decide()).isEmpty();
  }

  @Test
  void theLeastWorkIsLost() {
    hosts.add(aHost("h1").gpus(2));
    hosts.add(aHost("h2").gpus(2));
    runs("old", 0, "default", 90, "h1", 1);
    runs("older", 0, "default", 95, "h1", 1);
    runs("both", 0, "default", 80, "h2", 2);
    waits("one", aRequest("r").gpus(1).priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("old");
    heads.clear();
    waits("two", aRequest("r").gpus(2).priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("both");
  }

  @Test
  void whatALargerOneMakesNeedlessIsSpared() {
    hosts.add(aHost("h1").gpus(3));
    runs("small", 0, "default", 20, "h1", 1);
    runs("large", 0, "default", 30, "h1", 2);
    waits("two", aRequest("r").gpus(2).priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("large");
  }

  @Test
  void aGangIsTakenAsAWhole() {
    hosts.add(aHost("h1").gpus(1));
    hosts.add(aHost("h2").gpus(1));
    runs("gang", 0, "default", 20, List.of("h1", "h2"), 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));
    Plan plan = decide().orElseThrow();
    assertThat(plan.victims())
        .singleElement()
        .satisfies(victim -> assertThat(victim.members()).hasSize(2));
    assertThat(plan.hold().hosts()).containsExactly("h1");
  }

  @Test
  void aGangTakesAsManyHostsAsItNeeds() {
    for (int i = 1; i <= 3; i++) {
      hosts.add(aHost("h" + i).gpus(1));
      runs("low-" + i, 0, "default", 50 - i, "h" + i, 1);
    }
    waits("urgent", aRequest("r").gpus(1).resource("hosts", 2).priority(5));
    Plan plan = decide().orElseThrow();
    assertThat(plan.victims()).extracting(Running::job).containsExactly("low-3", "low-2");
    assertThat(plan.hold().hosts()).containsExactly("h3", "h2");
  }

  @Test
  void aQueueBelowItsShareTakesOfOneAboveItAndNoMoreThanIsDue() {
    hosts.add(aHost("h1").gpus(4));
    IntStream.range(0, 4).forEach(i -> runs("a-" + i, 0, "a", 20 + i, "h1", 1));
    waits("b", aRequest("r").gpus(2).queue("b"));
    Plan plan = decide().orElseThrow();
    assertThat(plan.victims()).extracting(Running::job).containsExactly("a-0", "a-1");
    heads.clear();
    waits("b", aRequest("r").gpus(3).queue("b"));
    assertThat(decide()).as("2 of 4 are due to it").isEmpty();
    weight("b", 3);
    assertThat(decide()).as("3 of 4 are due to it").isPresent();
  }

  @Test
  void aQueueKeepsWhatIsDueToIt() {
    hosts.add(aHost("h1").gpus(4));
    runs("large", 0, "a", 20, "h1", 4);
    waits("b", aRequest("r").gpus(1).queue("b"));
    assertThat(decide()).isEmpty();
  }

  @Test
  void aQueueThatHasHadMoreForItsWeightTakesNothing() {
    hosts.add(aHost("h1").gpus(2));
    runs("a-0", 0, "a", 20, "h1", 1);
    runs("a-1", 0, "a", 20, "h1", 1);
    waits("b", aRequest("r").gpus(1).queue("b"));
    had("b", 100);
    had("a", 99);
    assertThat(decide()).isEmpty();
    had("a", 100);
    assertThat(decide()).isPresent();
  }

  @Test
  void twoQueuesGiveOneEachWhereEitherCouldNotGiveTwo() {
    hosts.add(aHost("h1").gpus(4));
    hosts.add(aHost("h2").gpus(2));
    for (String queue : List.of("a", "c")) {
      for (int i = 0; i < 2; i++) {
        runs(queue + i, 0, queue, (queue.equals("a") ? 20 : 30) + i, "h1", 1);
      }
      runs(queue + 2, 0, queue, 5, "h2", 1);
    }
    waits("b", aRequest("r").gpus(2).queue("b"));
    assertThat(decide().orElseThrow().victims())
        .as("2 are due to each of three")
        .extracting(Running::job)
        .containsExactlyInAnyOrder("a0", "c0");
  }

  @Test
  void whatIsBeingEndedIsWaitedFor() {
    hosts.add(aHost("h1").gpus(2));
    runs("low", 0, "default", 30, "h1", 1);
    Running ended = runs("ended", 0, "default", 30, "h1", 1);
    running.set(1, with(ended, "another", "drained"));
    waits("urgent", aRequest("r").gpus(1).priority(5));
    assertThat(decide()).as("what ends is enough").isEmpty();
    heads.clear();
    waits("urgent", aRequest("r").gpus(2).priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("low");
  }

  @Test
  void forWhomRoomIsHeldTakesNoMore() {
    hosts.add(aHost("h1").gpus(2));
    runs("low", 0, "default", 30, "h1", 1);
    Running ended = runs("ended", 0, "default", 30, "h1", 1);
    running.set(1, with(ended, "urgent", "preempted"));
    waits("urgent", aRequest("r").gpus(1).priority(5));
    claims = List.of(hold("urgent", "default", "h1", 1));
    assertThat(decide()).isEmpty();
  }

  @Test
  void roomThatIsMadeForAnotherIsNotCounted() {
    hosts.add(aHost("h1").gpus(2));
    runs("low", 0, "default", 30, "h1", 1);
    Running ended = runs("ended", 0, "default", 30, "h1", 1);
    running.set(1, with(ended, "first", "preempted"));
    waits("first", aRequest("r").gpus(1).priority(5));
    waits("second", aRequest("r").gpus(1).priority(5));
    claims = List.of(hold("first", "default", "h1", 1));
    Plan plan = decide().orElseThrow();
    assertThat(plan.hold().job()).isEqualTo("second");
    assertThat(plan.victims()).extracting(Running::job).containsExactly("low");
  }

  @Test
  void whatIsHeldForAQueueCountsAsItsOwn() {
    hosts.add(aHost("h1").gpus(4));
    IntStream.range(0, 4).forEach(i -> runs("a-" + i, 0, "a", 20 + i, "h1", 1));
    waits("b-0", aRequest("r").gpus(1).queue("b"));
    waits("b-1", aRequest("r").gpus(1).queue("b"));
    waits("b-2", aRequest("r").gpus(1).queue("b"));
    List<String> took = new ArrayList<>();
    for (Optional<Plan> plan = decide(); plan.isPresent(); plan = decide()) {
      took.add(plan.get().hold().job());
      carryOut(plan.get());
    }
    assertThat(took).as("2 of 4 are due to it").containsExactly("b-0", "b-1");
  }

  @Test
  void aHostThatIsKeptForOneThatHasWaitedLongIsLeft() {
    hosts.add(aHost("h1").gpus(1));
    runs("low", 0, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));
    waits("claimed", aRequest("r").gpus(1).priority(0));
    claims = List.of(new Claim("claimed", "default", "h1", 5));
    assertThat(decide()).isEmpty();
  }

  @Test
  void theTimeThatAJobMayRunDoublesEachTime() {
    hosts.add(aHost("h1").gpus(1));
    waits("urgent", aRequest("r").gpus(1).priority(5));
    for (int times = 0; times < 4; times++) {
      long minutes = 10L << times;
      running.clear();
      Running one = runs("low", 0, "default", minutes - 1, "h1", 1);
      running.set(0, preempted(one, times));
      assertThat(decide()).as("%d times, a minute less", times).isEmpty();
      running.clear();
      one = runs("low", 0, "default", minutes, "h1", 1);
      running.set(0, preempted(one, times));
      assertThat(decide()).as("%d times", times).isPresent();
    }
  }

  @Test
  void itsTimeBeginsWhenItRuns() {
    hosts.add(aHost("h1").gpus(1));
    waits("urgent", aRequest("r").gpus(1).priority(5));
    Running one = runs("low", 0, "default", 60, "h1", 1);
    List<AttemptRow> loading =
        one.members().stream().map(row -> since(row, NOW - 9 * MINUTE)).toList();
    running.set(0, new Running("low", "request-low", 0, true, 0, loading));
    assertThat(decide()).isEmpty();
  }

  @Test
  void whatWasJustPlacedHasItsRoom() {
    hosts.add(aHost("h1").gpus(2));
    runs("low", 0, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(2).priority(5));
    waits("small", aRequest("r").gpus(1));
    assertThat(decide()).as("small gets the other one in this pass").isEmpty();
  }

  @Test
  void sharersOfAGpuGiveWhatTheyWerePromised() {
    hosts.add(aHost("h1").gpus(1));
    shares("large", 4, "h1", 6L << 30);
    shares("small", 3, "h1", 2L << 30);
    waits("urgent", shared("5GiB").priority(5));
    assertThat(decide().orElseThrow().victims()).extracting(Running::job).containsExactly("large");
    heads.clear();
    waits("urgent", aRequest("r").gpus(1).priority(5));
    assertThat(decide().orElseThrow().victims()).as("alone").hasSize(2);
  }

  @Test
  void whatOthersHaveGrownToIsNotGivenWithASharer() {
    hosts.add(aHost("h1").gpus(1));
    shares("small", 2, "h1", 2L << 30);
    running.add(firm(shares("firm", 1, "h1", 2L << 30)));
    running.remove(1);
    used = 7L << 30;
    waits("urgent", shared("5GiB").priority(5));
    assertThat(decide()).as("the other has 5 GiB of 8").isEmpty();
    used = 4L << 30;
    assertThat(decide()).isPresent();
  }

  @Test
  void itIsSaidForWhoseEndItWaits() {
    hosts.add(aHost("h1").gpus(1));
    runs("low", 0, "default", 30, "h1", 1);
    waits("urgent", aRequest("r").gpus(1).priority(5));
    Decision before = PlacementPass.decide(snapshot(), Long.MAX_VALUE);
    Unplaced waits =
        new Unplaced(Unplaced.Reason.PREEMPTING, "waits for request-low to end, which it preempts");
    assertThat(Preemption.told(before, running, decide()).unplaced().get("urgent"))
        .isEqualTo(waits);
    carryOut(decide().orElseThrow());
    Decision after = PlacementPass.decide(snapshot(), Long.MAX_VALUE);
    assertThat(Preemption.told(after, running, Optional.empty()).unplaced().get("urgent"))
        .isEqualTo(waits);
  }

  // --- words of these tests

  private void weight(String queue, double weight) {
    standing(queue, weight, 0);
  }

  private void had(String queue, double gpuMs) {
    standing(queue, 1, gpuMs);
  }

  private void standing(String queue, double weight, double gpuMs) {
    standings.put(
        queue,
        new Standing(
            new QueueSettings(queue, weight, OptionalInt.empty(), OptionalInt.empty(), true),
            0,
            DeviceTime.NONE,
            new DeviceTime(gpuMs, 0)));
  }

  private static Claim hold(String job, String queue, String host, int gpus) {
    return new Hold(job, queue, List.of(host), gpus, 0, NOW, null, null).claim(Map.of(host, gpus));
  }

  private static ARequest shared(String memory) {
    return aRequest("r").gpus(1).resource("sharing", "shared").resource("gpuMemory", memory);
  }

  private void waits(String job, ARequest request) {
    var built = request.build();
    heads.add(
        new Head(
            job,
            built.queue(),
            Shape.of(built),
            built.priority(),
            Arrival.first(NOW - MINUTE) + heads.size(),
            List.of(),
            Set.of()));
  }

  private Running runs(
      String job, int priority, String queue, long minutes, String host, int gpus) {
    return runs(job, priority, queue, minutes, true, host, gpus);
  }

  private Running runs(
      String job,
      int priority,
      String queue,
      long minutes,
      boolean preemptible,
      String host,
      int gpus) {
    return runs(job, priority, queue, minutes, preemptible, List.of(host), gpus);
  }

  private Running runs(
      String job, int priority, String queue, long minutes, List<String> on, int gpus) {
    return runs(job, priority, queue, minutes, true, on, gpus);
  }

  private Running runs(
      String job,
      int priority,
      String queue,
      long minutes,
      boolean preemptible,
      List<String> on,
      int gpus) {
    List<AttemptRow> members =
        on.stream().map(host -> row(job, queue, host, gpus, null, NOW - minutes * MINUTE)).toList();
    return adds(new Running(job, "request-" + job, priority, preemptible, 0, members));
  }

  private Running shares(String job, long hours, String host, long bytes) {
    AttemptRow row = row(job, "default", host, 1, bytes, NOW - hours * 60 * MINUTE);
    return adds(new Running(job, "request-" + job, 0, true, 0, List.of(row)));
  }

  private Running adds(Running one) {
    running.add(one);
    return one;
  }

  private static Running firm(Running one) {
    return new Running(one.job(), one.request(), one.priority(), false, 0, one.members());
  }

  private static Running preempted(Running one, int times) {
    return new Running(one.job(), one.request(), one.priority(), true, times, one.members());
  }

  /** On the next GPUs of the host, or with those that share the first. */
  private AttemptRow row(String job, String queue, String host, int gpus, Long bytes, long since) {
    int first =
        bytes != null
            ? 0
            : open().stream()
                .filter(row -> row.host().equals(host))
                .mapToInt(AttemptRow::gpus)
                .sum();
    List<String> devices = IntStream.range(first, first + gpus).mapToObj(String::valueOf).toList();
    return since(
        new AttemptRow(
            job,
            1,
            queue,
            host,
            "t",
            AttemptRow.State.ACCEPTED,
            1,
            gpus,
            0,
            since,
            0,
            devices,
            null,
            bytes),
        since);
  }

  private static AttemptRow since(AttemptRow row, long when) {
    AttemptRow before =
        new AttemptRow(
            row.job(),
            row.number(),
            row.queue(),
            row.host(),
            row.token(),
            AttemptRow.State.ACCEPTED,
            1,
            row.gpus(),
            row.cpuSlots(),
            row.placedAt(),
            0,
            row.devices(),
            row.cancelReason(),
            row.gpuMemory());
    return before.heard(2, AttemptRow.State.RUNNING, row.devices(), when);
  }

  private static Running with(Running one, String forJob, String reason) {
    return new Running(
        one.job(),
        one.request(),
        one.priority(),
        one.preemptible(),
        one.preemptions(),
        one.members().stream()
            .map(row -> row.preempted(new AttemptRow.Preempted(forJob, null), reason))
            .toList());
  }

  private void carryOut(Plan plan) {
    running.replaceAll(
        one ->
            plan.victims().stream().anyMatch(victim -> victim.job().equals(one.job()))
                ? with(one, plan.hold().job(), "preempted")
                : one);
    holds.add(plan.hold());
    claims = HoldRules.claims(holds, open());
  }

  private List<AttemptRow> open() {
    return running.stream().flatMap(one -> one.members().stream()).toList();
  }

  private Optional<Heartbeat> beat(String host) {
    Heartbeat plain = aHost(host).heartbeat();
    DeviceTelemetry gpu = new DeviceTelemetry("0", used, null, null, null);
    return used == null
        ? Optional.empty()
        : Optional.of(
            new Heartbeat(
                host, plain.epoch(), 1, 1, 1, List.of(), plain.reserved(), List.of(gpu), null));
  }

  private Snapshot snapshot() {
    return FleetView.of(
            hosts.stream().map(AHost::row).toList(),
            open(),
            heads,
            host -> true,
            this::beat,
            shape -> Set.of())
        .shared(standings, claims, NOW);
  }

  private Optional<Plan> decide() {
    Snapshot snapshot = snapshot();
    Decision decision = PlacementPass.decide(snapshot, Long.MAX_VALUE);
    List<AttemptRow> all = Preemption.withPlaced(open(), snapshot, decision);
    List<HostRow> rows = hosts.stream().map(AHost::row).toList();
    Emptied emptied = new Emptied(rows, all, host -> true, this::beat);
    return Preemption.decide(snapshot, decision, all, running, emptied, TIME);
  }
}
