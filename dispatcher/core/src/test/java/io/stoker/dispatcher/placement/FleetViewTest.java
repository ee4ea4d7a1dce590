package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AHost.aHost;
import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.Restored;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.Snapshot.Host;
import io.stoker.dispatcher.scenario.AHost;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FleetViewTest {
  @Test
  void whatOpenAttemptsAndReservationsTakeIsNotFree() {
    AHost host = aHost("h1").gpus(4).cpuSlots(8).reserves(1, 2);

    Host seen =
        view(
            host, attempt("h1", 2, 0, true), attempt("h1", 0, 3, false), attempt("h2", 1, 0, true));

    assertThat(seen.freeGpus()).isEqualTo(1);
    assertThat(seen.freeSlots()).isEqualTo(3);
    assertThat(seen.cpuSlots()).isEqualTo(8);
    assertThat(seen.openPlacements()).isEqualTo(1);
    assertThat(seen.gpus()).containsExactlyInAnyOrder("0", "1", "2", "3");
  }

  @Test
  void aHostWithoutAHeartbeatReservesNothing() {
    Host seen =
        FleetView.of(
                List.of(aHost("h1").row()),
                List.of(),
                List.of(),
                host -> true,
                host -> Optional.empty(),
                shape -> Set.of())
            .hosts()
            .get(0);

    assertThat(seen.freeSlots()).isEqualTo(4);
    assertThat(seen.usable()).isTrue();
  }

  @Test
  void aHostIsUsableWhileItIsUpHeardOfAndNotCordoned() {
    assertThat(view(aHost("h1")).usable()).isTrue();
    assertThat(view(aHost("h1").cordoned()).why()).isEqualTo("is cordoned: repairs");
    assertThat(view(aHost("h1").state(HostRow.State.LOST)).why()).isEqualTo("is LOST");
    assertThat(view(aHost("h1").state(HostRow.State.GONE)).usable()).isFalse();
    assertThat(view(aHost("h1"), false).why()).isEqualTo("has not been heard of yet");
  }

  @Test
  void noHostIsUsableWhileOneMayRunWhatARestoredDatabaseDoesNotKnow() {
    HostRow waited = aHost("h2").epoch(9).restored(new Restored(1, 9, 0L, false, false)).row();

    List<Host> seen =
        FleetView.of(
                List.of(aHost("h1").row(), waited, aHost("h3").cordoned().row()),
                List.of(),
                List.of(),
                host -> true,
                host -> Optional.empty(),
                shape -> Set.of())
            .hosts();

    assertThat(seen).noneMatch(Host::usable);
    assertThat(seen.get(0).why()).contains("restored", "waits for h2");
    assertThat(seen.get(2).why()).isEqualTo("is cordoned: repairs");
  }

  @Test
  void aHeadKnowsWhichHostsReturnedItsShape() {
    Shape shape = Shape.of(aRequest("r").build().resources());
    QueueHead head = QueueHeads.head("a", "default", shape, 0, 1, List.of(), Set.of());

    Snapshot snapshot =
        FleetView.of(
            List.of(),
            List.of(),
            List.of(head),
            host -> true,
            host -> Optional.empty(),
            asked -> asked.equals(shape) ? Set.of("h1") : Set.of());

    assertThat(snapshot.heads().get(0).returnedBy()).containsExactly("h1");
  }

  private static Host view(AHost host, AttemptRow... open) {
    return view(host, true, open);
  }

  private static Host view(AHost host, boolean alive, AttemptRow... open) {
    return FleetView.of(
            List.of(host.row()),
            List.of(open),
            List.of(),
            id -> alive,
            id -> Optional.of(host.heartbeat()),
            shape -> Set.of())
        .hosts()
        .get(0);
  }

  private static AttemptRow attempt(String host, int gpus, int slots, boolean accepted) {
    AttemptRow.State state = accepted ? AttemptRow.State.ACCEPTED : AttemptRow.State.PLACED;
    return anAttempt("job-" + gpus + slots)
        .host(host)
        .heard(state, 0)
        .gpus(gpus)
        .cpuSlots(slots)
        .devices(accepted ? IntStream.range(0, gpus).mapToObj(String::valueOf).toList() : List.of())
        .row();
  }
}
