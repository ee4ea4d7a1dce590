package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.QueueSettings;
import io.stoker.dispatcher.fairshare.Standing;
import io.stoker.dispatcher.model.Arrival;
import io.stoker.dispatcher.model.GroupLimit;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Jobs that take several hosts at once get all of them or none. */
class GangPlacementTest {
  private static final long NOW = 10_000_000;
  private static final long RESERVE_AFTER = 60_000;

  private final List<AHost> hosts = new ArrayList<>();
  private final List<QueueHead> heads = new ArrayList<>();
  private List<Reservation> reservations = List.of();
  private Map<String, GroupLimit> limits = Map.of();

  private static ARequest gang(int members, int gpus) {
    return aRequest("r").gpus(gpus).resource("hosts", members);
  }

  private void add(String job, long waited, ARequest request, String... avoid) {
    Shape shape = Shape.of(request.build());
    heads.add(
        QueueHeads.head(
            job,
            request.build().queue(),
            shape,
            request.build().priority(),
            Arrival.first(NOW - waited) + heads.size(),
            List.of(avoid),
            Set.of()));
  }

  private Decision decide() {
    Snapshot plain =
        FleetView.of(
            hosts.stream().map(AHost::row).toList(),
            List.of(),
            heads,
            host -> true,
            host ->
                hosts.stream()
                    .filter(one -> one.row().id().equals(host))
                    .map(AHost::heartbeat)
                    .findFirst(),
            shape -> Set.of());
    return PlacementPass.decide(
        plain.shared(Map.<String, Standing>of(), reservations, NOW).limited(limits), RESERVE_AFTER);
  }

  private void fleet(int... free) {
    for (int i = 0; i < free.length; i++) {
      hosts.add(aHost("h" + (i + 1)).gpus(4).cpuSlots(0).reserves(4 - free[i], 0));
    }
  }

  @Test
  void itGetsDifferentHosts() {
    fleet(4, 4, 4);
    add("gang", 0, gang(2, 1));
    assertThat(decide().assignments())
        .extracting(Assignment::job, Assignment::host, one -> one.takes().gpus())
        .containsExactly(tuple("gang", "h1", 1), tuple("gang", "h2", 1));
  }

  @Test
  void itGetsAllOrNothing() {
    fleet(4, 2, 4);
    add("gang", 0, gang(3, 4));
    add("small", 0, aRequest("r").gpus(4));
    Decision decision = decide();
    assertThat(decision.assignments()).extracting(Assignment::job).containsExactly("small");
    assertThat(decision.unplaced().get("gang").reason())
        .isEqualTo(UnschedulableReason.Reason.NO_ROOM);
    assertThat(decision.unplaced().get("gang").sentence())
        .isEqualTo("needs 3 hosts with 4 GPU(s) at once, and 2 of 3 able host(s) have room now");
  }

  @Test
  void twoThatDoNotFitTogetherDoNotShareTheHosts() {
    fleet(4, 4, 4);
    add("first", 1, gang(2, 4));
    add("second", 0, gang(2, 4));
    Decision decision = decide();
    assertThat(decision.assignments())
        .extracting(Assignment::job)
        .containsExactly("first", "first");
    assertThat(decision.unplaced()).containsOnlyKeys("second");
  }

  @Test
  void aGroupsLimitCountsItAsOneAndLeavesTheSecondAsAWhole() {
    fleet(4, 4, 4);
    add("first", 1, gang(2, 1));
    add("second", 0, gang(2, 1));
    heads.replaceAll(head -> QueueHeads.inLane(head, "exp"));
    limits = Map.of("exp", new GroupLimit(1, "parallel is 1"));
    Decision decision = decide();
    assertThat(decision.assignments())
        .extracting(Assignment::job)
        .containsExactly("first", "first");
    assertThat(decision.unplaced().get("second"))
        .isEqualTo(new UnschedulableReason(UnschedulableReason.Reason.GROUP, "parallel is 1"));
  }

  @Test
  void moreHostsThanThereAreIsNeverServed() {
    fleet(4, 4);
    add("gang", 0, gang(3, 1));
    assertThat(decide().unplaced().get("gang"))
        .isEqualTo(
            new UnschedulableReason(
                UnschedulableReason.Reason.UNSATISFIABLE,
                "needs 3 hosts with 1 GPU(s) at once, and 2 can ever serve it"));
  }

  @Test
  void hostsThatAreAwayAreWaitedFor() {
    fleet(4, 4);
    hosts.add(aHost("h3").gpus(4).cordoned());
    add("gang", 0, gang(3, 1));
    assertThat(decide().unplaced().get("gang"))
        .isEqualTo(
            new UnschedulableReason(
                UnschedulableReason.Reason.HOSTS_AWAY,
                "needs 3 hosts at once; 3 host(s) could serve it, and 2 of them are usable now"));
  }

  @Test
  void hostsThatFailedItServeOnlyAsFarAsOthersAreTooFew() {
    fleet(4, 4, 4);
    add("two", 0, gang(2, 1), "h1");
    assertThat(decide().assignments()).extracting(Assignment::host).containsExactly("h2", "h3");
    heads.clear();
    add("three", 0, gang(2, 1), "h1", "h2");
    assertThat(decide().assignments()).extracting(Assignment::host).contains("h3").hasSize(2);
  }

  @Test
  void asManyHostsAreKeptForItAsItNeedsAndOthersBackfillTheRest() {
    fleet(3, 1, 2, 0);
    add("gang", 2 * RESERVE_AFTER, gang(2, 4));
    Decision first = decide();
    assertThat(first.reservations())
        .containsExactly(new Reservation("gang", "default", List.of("h1", "h3"), NOW));
    assertThat(first.unplaced().get("gang").sentence())
        .isEqualTo("0 of the hosts h1, h3, which are kept free for it, have 4 GPU(s) free");

    reservations = first.reservations();
    add("small", 0, aRequest("r").gpus(1));
    assertThat(decide().assignments()).extracting(Assignment::host).containsExactly("h2");
  }

  @Test
  void theKeptHostsStayTheSame() {
    fleet(0, 0, 2, 2);
    add("gang", 2 * RESERVE_AFTER, gang(2, 4));
    reservations = List.of(new Reservation("gang", "default", List.of("h1", "h2"), 5));
    assertThat(decide().reservations()).isEqualTo(reservations);
  }

  @Test
  void oneKeptHostThatGoesAwayIsReplacedAlone() {
    fleet(0, 0, 2);
    hosts.set(0, aHost("h1").gpus(4).cordoned());
    add("gang", 2 * RESERVE_AFTER, gang(2, 4));
    reservations = List.of(new Reservation("gang", "default", List.of("h1", "h2"), 5));
    assertThat(decide().reservations())
        .containsExactly(new Reservation("gang", "default", List.of("h2", "h3"), 5));
  }

  @Test
  void itStartsAsSoonAsAllThatIsKeptIsFree() {
    fleet(4, 4, 0);
    add("gang", 2 * RESERVE_AFTER, gang(2, 4));
    add("small", 3 * RESERVE_AFTER, aRequest("r").gpus(1));
    reservations = List.of(new Reservation("gang", "default", List.of("h1", "h2"), 5));
    assertThat(decide().assignments()).extracting(Assignment::job).containsExactly("gang", "gang");
  }

  @Test
  void ofTwoNoneKeepsHalfOfItsHosts() {
    for (int i = 0; i < 40; i++) {
      hosts.add(aHost("h" + (10 + i)).gpus(1).reserves(1, 0));
    }
    add("a", 2 * RESERVE_AFTER, gang(30, 1).queue("a"));
    add("b", 2 * RESERVE_AFTER, gang(20, 1).queue("b"));
    reservations =
        List.of(new Reservation("a", "a", List.of(), 5), new Reservation("b", "b", List.of(), 6));
    List<Reservation> kept = decide().reservations();
    assertThat(kept).extracting(reservation -> reservation.hosts().size()).containsExactly(30, 0);
    assertThat(decide().unplaced().get("b").sentence())
        .isEqualTo("it is next to have 20 hosts kept free for it; others are served before");
  }

  @Test
  void aQueueIsChargedForAllItsHosts() {
    fleet(4, 4, 4);
    add("gang", 9, gang(2, 2).queue("a"));
    add("a-2", 8, aRequest("r").gpus(1).queue("a"));
    add("b-1", 1, aRequest("r").gpus(3).queue("b"));
    add("b-2", 0, aRequest("r").gpus(1).queue("b"));
    assertThat(decide().assignments())
        .extracting(Assignment::job)
        .containsExactly("gang", "gang", "b-1", "b-2", "a-2");
  }

  @Test
  void aLimitOfTheQueueCountsJobsAndNotHosts() {
    fleet(4, 4, 4);
    add("gang", 9, gang(3, 1));
    add("next", 8, gang(3, 1));
    QueueSettings two =
        new QueueSettings("default", 1, OptionalInt.of(2), OptionalInt.empty(), true);
    Standing one = new Standing(two, 0, DeviceTime.NONE, DeviceTime.NONE);
    Snapshot snapshot =
        FleetView.of(
                hosts.stream().map(AHost::row).toList(),
                List.of(),
                heads,
                host -> true,
                host -> Optional.empty(),
                shape -> Set.of())
            .shared(Map.of("default", one), List.of(), NOW);
    assertThat(PlacementPass.decide(snapshot, RESERVE_AFTER).assignments()).hasSize(6);
  }
}
