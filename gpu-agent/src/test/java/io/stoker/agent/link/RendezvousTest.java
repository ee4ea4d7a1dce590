package io.stoker.agent.link;

import static io.stoker.common.fixture.APlace.aPlace;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.common.message.PlacementsRecord;
import io.stoker.common.message.ToAgent;
import io.stoker.common.message.ToAgent.Gang;
import io.stoker.common.message.ToAgent.Place;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RendezvousTest {
  private final Rendezvous rendezvous = new Rendezvous(Optional.of("node-7"));

  private static Place place(String job) {
    return aPlace(job).build();
  }

  @Test
  void everyMemberOfAGangIsOfferedAPortOfItsOwn() {
    PlacementsRecord offered =
        rendezvous.offeredIn(
            new PlacementsRecord(
                "h",
                3,
                List.of(
                    place("alone"),
                    place("gang").in(new Gang(0, 2, null)),
                    new ToAgent.Report("alone", 1))));
    assertThat(offered.epoch()).isEqualTo(3);
    assertThat(offered.messages()).hasSize(3).contains(place("alone"));
    assertThat(((Place) offered.messages().get(1)).gang())
        .satisfies(
            gang -> {
              assertThat(gang.rank()).isZero();
              assertThat(gang.size()).isEqualTo(2);
              assertThat(gang.address()).matches("node-7:[1-9][0-9]+");
            });
  }

  @Test
  void whatHoldsNoGangIsLeftAsItIs() {
    PlacementsRecord record = new PlacementsRecord("h", 3, List.of(place("alone")));
    assertThat(rendezvous.offeredIn(record)).isSameAs(record);
  }
}
