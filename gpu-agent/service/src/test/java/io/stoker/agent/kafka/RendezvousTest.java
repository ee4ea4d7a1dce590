package io.stoker.agent.kafka;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.runner.PortRange;
import io.stoker.agent.runner.RendezvousPorts;
import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RendezvousTest {
  private static final PortRange RANGE = new PortRange(10_000, 19_999);

  private final RendezvousPorts ports =
      new RendezvousPorts(RANGE, ThreadLocalRandom.current().nextInt());
  private final Rendezvous rendezvous = new Rendezvous(Optional.of("node-7"), ports);

  @AfterEach
  void giveAllBack() {
    ports.keep(Map.of());
  }

  private static Place place(String job) {
    return aPlace(job).build();
  }

  private static Gang gangOf(PlacementsRecord record, int message) {
    return ((Place) record.messages().get(message)).gang();
  }

  private PlacementsRecord offered(ToAgent... messages) {
    return rendezvous.offeredIn(new PlacementsRecord("h", 3, List.of(messages)));
  }

  @Test
  void rank0OfAGangIsOfferedAPortOfItsOwn() {
    PlacementsRecord offered =
        offered(
            place("alone"),
            place("gang").in(new Gang(0, 2, null)),
            new ToAgent.Report("alone", 1),
            place("other").in(new Gang(0, 2, null)));
    assertThat(offered.epoch()).isEqualTo(3);
    assertThat(offered.messages()).hasSize(4).contains(place("alone"));
    assertThat(gangOf(offered, 1))
        .satisfies(
            gang -> {
              assertThat(gang.rank()).isZero();
              assertThat(gang.size()).isEqualTo(2);
              assertThat(gang.address()).matches("node-7:1[0-9]{4}");
            });
    assertThat(gangOf(offered, 3).address()).isNotEqualTo(gangOf(offered, 1).address());
  }

  @Test
  void thePlacementThatComesAgainIsOfferedTheSame() {
    Place rank0 = place("gang").in(new Gang(0, 2, null));
    assertThat(offered(rank0)).isEqualTo(offered(rank0));
  }

  @Test
  void whatIsNotTakenGivesItsPortBack() {
    offered(place("gang").in(new Gang(0, 2, null)));
    rendezvous.settle(Map::of);
    assertThat(ports.any()).isFalse();
    rendezvous.settle(
        () -> {
          throw new AssertionError("there is nothing to ask for");
        });
  }

  @Test
  void theOtherMembersNeedNone() {
    offered(place("gang").in(new Gang(1, 2, null)));
    assertThat(ports.any()).isFalse();
  }

  @Test
  void whatHoldsNoGangIsLeftAsItIs() {
    PlacementsRecord record = new PlacementsRecord("h", 3, List.of(place("alone")));
    assertThat(rendezvous.offeredIn(record)).isSameAs(record);
  }
}
