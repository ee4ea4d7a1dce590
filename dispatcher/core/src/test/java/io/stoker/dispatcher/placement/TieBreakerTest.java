package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.scenario.AHost;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TieBreakerTest {

  @Test
  void withoutASeedTheFirstByNameIsTaken() {
    assertThat(hosts(TieBreaker.BY_NAME, aHost("b"), aHost("a"), aHost("c"))).containsOnly("a");
  }

  @Test
  void withOneEveryHostHasItsShareAndTheSameSeedGivesTheSame() {
    AHost[] three = {aHost("a"), aHost("b"), aHost("c")};
    List<String> drawn = hosts(new TieBreaker(7L), three);

    assertThat(hosts(new TieBreaker(7L), three)).isEqualTo(drawn);
    assertThat(hosts(new TieBreaker(8L), three)).isNotEqualTo(drawn);
    assertThat(drawn.stream().collect(Collectors.groupingBy(host -> host, Collectors.counting())))
        .hasSize(3)
        .allSatisfy((host, times) -> assertThat(times).isBetween(200L, 470L));
  }

  @Test
  void whoSuitsBetterIsTakenWhateverTheSeed() {
    assertThat(hosts(new TieBreaker(7L), aHost("a").cpuSlots(3), aHost("b").cpuSlots(4)))
        .containsOnly("b");
  }

  /** Where each of 1000 jobs goes that finds the fleet free. */
  private static List<String> hosts(TieBreaker ties, AHost... fleet) {
    return IntStream.range(0, 1000).mapToObj(i -> host(ties, "job-" + i, fleet)).toList();
  }

  private static String host(TieBreaker ties, String job, AHost... fleet) {
    Shape shape = Shape.of(aRequest("r").build());
    QueueHead head = QueueHeads.head(job, "default", shape, 0, 1, List.of(), Set.of());
    Snapshot snapshot =
        FleetView.of(
                List.of(fleet).stream().map(AHost::row).toList(),
                List.of(),
                List.of(head),
                host -> true,
                host -> Optional.empty(),
                text -> Set.of())
            .choosing(ties);
    return PlacementPass.decide(snapshot, 60_000).assignments().getFirst().host();
  }
}
