package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
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

/** Queues among each other: shares, limits, priority and aging, and room that is kept. */
class SharingTest {
  private static final long PATIENCE = 60_000;
  private static final long MINUTE = 60_000;
  private static final long NOW = 10_000_000;

  private final List<AHost> hosts = new ArrayList<>();
  private final List<QueueHead> heads = new ArrayList<>();
  private final Map<String, Standing> standings = new HashMap<>();
  private List<Reservation> reservations = List.of();

  @Test
  void theQueueThatHasHadLeastForItsWeightIsNext() {
    hosts.add(aHost("h1").gpus(1));
    used("a", 1, 50);
    used("b", 3, 120);
    line("a", 1, 5);
    line("b", 1, 1);

    assertThat(placed()).as("40 for each of its weight, against 50").containsExactly("b-0");
  }

  @Test
  void whatIsGivenInThePassCountsAtOnce() {
    hosts.add(aHost("h1").gpus(8));
    used("a", 3, 0);
    used("b", 1, 0);
    line("a", 20, 5);
    line("b", 20, 5);

    assertThat(placed()).filteredOn(job -> job.startsWith("a")).hasSize(6);
    assertThat(placed()).filteredOn(job -> job.startsWith("b")).hasSize(2);
  }

  @Test
  void gpusAndSlotsAreSharedApart() {
    hosts.add(aHost("h1").gpus(1).cpuSlots(1));
    standing("a", 1, OptionalInt.empty(), 0, new DeviceTime(1e9, 0));
    standing("b", 1, OptionalInt.empty(), 0, new DeviceTime(0, 1e9));
    line("a", 1, 5);
    line("b", 1, 5);
    add("a-slot", 5, aRequest("r").queue("a"));
    add("b-slot", 5, aRequest("r").queue("b"));

    assertThat(placed()).containsExactlyInAnyOrder("b-0", "a-slot");
  }

  @Test
  void aQueueWithoutWorkLeavesItsShareToOthers() {
    hosts.add(aHost("h1").gpus(4));
    used("idle", 100, 0);
    used("a", 1, 1000);
    line("a", 6, 1);

    assertThat(placed()).hasSize(4);
  }

  @Test
  void aQueueThatCannotUseWhatIsFreeBlocksNobody() {
    hosts.add(aHost("h1").gpus(4));
    used("a", 1, 0);
    used("b", 1, 1000);
    add("a-huge", 0, aRequest("r").queue("a").gpus(5));
    line("b", 6, 0);

    assertThat(placed()).hasSize(4).allMatch(job -> job.startsWith("b"));
  }

  @Test
  void noMoreThanMaxRunningOfAQueueRun() {
    hosts.add(aHost("h1").gpus(8).cpuSlots(8));
    standing("a", 9, OptionalInt.of(5), 3, DeviceTime.NONE);
    line("a", 4, 1);
    add("a-slot", 0, aRequest("r").queue("a"));

    Decision decision = decide();

    assertThat(decision.assignments()).hasSize(2);
    assertThat(decision.unplaced()).hasSize(3);
    assertThat(decision.unplaced().values())
        .allSatisfy(
            why -> {
              assertThat(why.reason()).isEqualTo(UnschedulableReason.Reason.LIMIT);
              assertThat(why.sentence())
                  .isEqualTo("its queue a runs as many jobs as it may: max-running is 5");
            });
  }

  @Test
  void tenMinutesOfWaitingMakeUpForAStepOfPriority() {
    hosts.add(aHost("h1").gpus(1));
    add("old", 10, aRequest("r").gpus(1));
    add("urgent", 0, aRequest("r").gpus(1).priority(1));
    assertThat(placed()).as("the same rank").hasSize(1);

    heads.clear();
    add("older", 11, aRequest("r").gpus(1));
    add("urgent", 0, aRequest("r").gpus(1).priority(1));
    assertThat(placed()).containsExactly("older");

    heads.clear();
    add("younger", 9, aRequest("r").gpus(1));
    add("urgent", 0, aRequest("r").gpus(1).priority(1));
    assertThat(placed()).containsExactly("urgent");
  }

  // --- room that is kept

  @Test
  void aHostIsKeptForTheFirstOfTheLeastServedQueueOnceItHasWaited() {
    hosts.add(aHost("h1").gpus(8).reserves(3, 0));
    hosts.add(aHost("h2").gpus(8).reserves(6, 0));
    used("a", 1, 0);
    used("b", 1, 1000);
    add("a-large", 2, aRequest("r").queue("a").gpus(8));
    line("b", 6, 2);

    Decision first = decide();

    assertThat(first.reservations())
        .containsExactly(new Reservation("a-large", "a", List.of("h1"), NOW));
    assertThat(first.unplaced().get("a-large").reason())
        .isEqualTo(UnschedulableReason.Reason.RESERVING);
    assertThat(first.unplaced().get("a-large").sentence())
        .isEqualTo("host h1 is kept free for it: 5 of 8 GPU(s)");
    reservations = first.reservations();
    Decision second = decide();
    assertThat(second.assignments())
        .as("what fits goes before it, but not on h1")
        .containsExactly(
            new Assignment("b-0", "h2", Takes.of(1, 0)),
            new Assignment("b-1", "h2", Takes.of(1, 0)));
    assertThat(second.unplaced().get("b-3").reason())
        .isEqualTo(UnschedulableReason.Reason.RESERVED);
    assertThat(second.unplaced().get("b-3").sentence())
        .isEqualTo("1 GPU(s) would be free, and are kept for job a-large, which goes first");
  }

  @Test
  void aJobThatHasNotWaitedLongLetsWhatFitsPass() {
    hosts.add(aHost("h1").gpus(8).reserves(1, 0));
    add("large", 0, aRequest("r").gpus(8));
    line("default", 1, 0);

    assertThat(decide().reservations()).isEmpty();
    assertThat(placed()).containsExactly("default-0");
  }

  @Test
  void aQueueThatHasHadMoreThanOthersThatWaitGetsNoRoomKept() {
    hosts.add(aHost("h1").gpus(8).reserves(8, 0));
    used("a", 1, 1000);
    used("b", 1, 0);
    add("a-large", 50, aRequest("r").queue("a").gpus(8));
    line("b", 1, 2);

    assertThat(decide().reservations()).extracting(Reservation::queue).containsExactly("b");
  }

  @Test
  void aHostThatIsAwayMakesNobodyWaitForIt() {
    hosts.add(aHost("away").gpus(8).label("big", "yes").cordoned());
    hosts.add(aHost("h1").gpus(8).reserves(8, 0));
    used("a", 1, 0);
    used("b", 1, 1000);
    add("a-0", 9, aRequest("r").queue("a").gpus(8).resource("require", Map.of("big", "yes")));
    add("b-0", 9, aRequest("r").queue("b").gpus(8));

    assertThat(decide().unplaced().get("a-0").reason())
        .isEqualTo(UnschedulableReason.Reason.HOSTS_AWAY);
    assertThat(decide().reservations()).extracting(Reservation::job).containsExactly("b-0");
  }

  @Test
  void theSameHostStaysKeptAndTheJobGoesFirstWhereverItFits() {
    hosts.add(aHost("h1").gpus(8).reserves(7, 0));
    hosts.add(aHost("h2").gpus(8).reserves(2, 0));
    add("large", 5, aRequest("r").gpus(8));
    line("default", 3, 9);
    reservations = List.of(new Reservation("large", "default", List.of("h1"), 5));

    assertThat(decide().reservations()).as("h2 lacks less now").isEqualTo(reservations);

    hosts.set(1, aHost("h2").gpus(8));
    assertThat(decide().assignments()).contains(new Assignment("large", "h2", Takes.of(8, 0)));
    assertThat(decide().reservations()).extracting(Reservation::job).doesNotContain("large");
  }

  @Test
  void aKeptHostThatGoesAwayIsReplaced() {
    hosts.add(aHost("h1").gpus(8).reserves(1, 0).cordoned());
    hosts.add(aHost("h2").gpus(8).reserves(5, 0));
    add("large", 5, aRequest("r").gpus(8));
    reservations = List.of(new Reservation("large", "default", List.of("h1"), 5));

    assertThat(decide().reservations())
        .containsExactly(new Reservation("large", "default", List.of("h2"), 5));
  }

  @Test
  void claimsAreServedInOrderAndOneHostInTwentyIsKept() {
    IntStream.range(0, 39).forEach(i -> hosts.add(aHost("h" + i).gpus(8).reserves(1 + i % 7, 0)));
    add("a-0", 9, aRequest("r").queue("a").gpus(8));
    add("b-0", 9, aRequest("r").queue("b").gpus(8));
    reservations =
        List.of(
            new Reservation("b-0", "b", List.of(), 1), new Reservation("a-0", "a", List.of(), 2));

    assertThat(decide().reservations())
        .containsExactly(
            new Reservation("b-0", "b", List.of("h0"), 1),
            new Reservation("a-0", "a", List.of(), 2));
    assertThat(decide().unplaced().get("a-0").sentence())
        .isEqualTo("it is next to have a host kept free for it; others are served before");
  }

  @Test
  void aClaimEndsWithItsJob() {
    hosts.add(aHost("h1").gpus(8).reserves(1, 0));
    line("default", 1, 0);
    reservations = List.of(new Reservation("cancelled", "default", List.of("h1"), 5));

    assertThat(decide().reservations()).isEmpty();
    assertThat(placed()).containsExactly("default-0");
  }

  @Test
  void aQueueAtItsLimitGetsNoRoomKept() {
    hosts.add(aHost("h1").gpus(8).reserves(8, 0));
    standing("a", 1, OptionalInt.of(1), 1, DeviceTime.NONE);
    line("a", 1, 90);
    reservations = List.of(new Reservation("a-0", "a", List.of("h1"), 5));

    assertThat(decide().reservations()).isEmpty();
    assertThat(decide().unplaced().get("a-0").reason()).isEqualTo(UnschedulableReason.Reason.LIMIT);
  }

  // --- words of these tests

  private void used(String queue, double weight, double gpuMs) {
    standing(queue, weight, OptionalInt.empty(), 0, new DeviceTime(gpuMs, 0));
  }

  private void standing(
      String queue, double weight, OptionalInt most, int running, DeviceTime charged) {
    QueueSettings settings = new QueueSettings(queue, weight, most, OptionalInt.empty(), true);
    standings.put(queue, new Standing(settings, running, charged, charged));
  }

  /** Jobs for one GPU each, {@code queue-0} first. */
  private void line(String queue, int jobs, long waitedMinutes) {
    IntStream.range(0, jobs)
        .forEach(i -> add(queue + "-" + i, waitedMinutes, aRequest("r").queue(queue).gpus(1)));
  }

  private void add(String job, long waitedMinutes, ARequest request) {
    var built = request.build();
    long seq = Arrival.first(NOW - waitedMinutes * MINUTE) + heads.size();
    Shape shape = Shape.of(built.resources());
    heads.add(
        QueueHeads.head(job, built.queue(), shape, built.priority(), seq, List.of(), Set.of()));
  }

  private Decision decide() {
    Map<String, AHost> byId = new HashMap<>();
    hosts.forEach(host -> byId.put(host.row().id(), host));
    Snapshot snapshot =
        FleetView.of(
            hosts.stream().map(AHost::row).toList(),
            List.of(),
            heads,
            host -> true,
            host -> Optional.of(byId.get(host).heartbeat()),
            shape -> Set.of());
    return PlacementPass.decide(snapshot.shared(standings, reservations, NOW), PATIENCE);
  }

  private List<String> placed() {
    return decide().assignments().stream().map(Assignment::job).toList();
  }
}
