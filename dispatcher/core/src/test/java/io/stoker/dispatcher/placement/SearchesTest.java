package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.PlacementPass.Decision;
import io.stoker.dispatcher.scenario.AHost;
import io.stoker.dispatcher.scenario.ARequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that ask for the same are looked at once, however many wait. */
class SearchesTest {
  private final List<AHost> hosts = new ArrayList<>();
  private final List<QueueHead> heads = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 4_000})
  void whereThereIsNoRoomOneOfThoseThatAskAlikeIsLookedAt(int waiting) {
    IntStream.range(0, 50).forEach(i -> hosts.add(aHost("h" + i).cpuSlots(4).reserves(0, 4)));
    add(waiting, aRequest("r"));

    Decision decision = decide();

    assertThat(decision.searches()).isEqualTo(1);
    assertThat(decision.unplaced()).hasSize(waiting);
    assertThat(decision.unplaced().values())
        .as("the reason is everybody's")
        .allMatch(left -> left.reason() == UnschedulableReason.Reason.NO_ROOM);
  }

  @Test
  void whoFindsRoomIsLookedAtAndOfTheOthersOne() {
    hosts.add(aHost("h1").cpuSlots(3));
    add(1_000, aRequest("r"));

    assertThat(decide().assignments()).hasSize(3);
    assertThat(decide().searches()).isEqualTo(3 + 1);
  }

  @Test
  void whatTheyAskForAndNotWhoseTheyAreTellsThemApart() {
    hosts.add(aHost("h1").cpuSlots(4).reserves(0, 4));
    add(100, aRequest("r"));
    add(100, aRequest("r").queue("another"));
    add(100, aRequest("r").priority(7));
    assertThat(decide().searches()).isEqualTo(1);

    add(100, aRequest("r").resource("cpus", 2));
    add(100, aRequest("r").resource("require", Map.of("zone", "a")));
    assertThat(decide().searches()).isEqualTo(3);
  }

  @Test
  void whatNobodyCanEverServeIsLookedAtOnceToo() {
    hosts.add(aHost("h1").cpuSlots(4));
    add(500, aRequest("r").resource("cpus", 9));

    assertThat(decide().searches()).isEqualTo(1);
    assertThat(decide().unplaced().values())
        .hasSize(500)
        .allMatch(left -> left.reason() == UnschedulableReason.Reason.UNSATISFIABLE);
  }

  private void add(int jobs, ARequest request) {
    var built = request.build();
    Shape shape = Shape.of(built.resources());
    for (int i = 0; i < jobs; i++) {
      long seq = heads.size() + 1;
      heads.add(
          QueueHeads.head(
              "j" + seq, built.queue(), shape, built.priority(), seq, List.of(), Set.of()));
    }
  }

  private Decision decide() {
    Snapshot snapshot =
        FleetView.of(
            hosts.stream().map(AHost::row).toList(),
            List.of(),
            heads,
            any -> true,
            id ->
                hosts.stream()
                    .filter(host -> host.row().id().equals(id))
                    .findFirst()
                    .map(AHost::heartbeat),
            any -> Set.of());
    return PlacementPass.decide(snapshot, Long.MAX_VALUE);
  }
}
