package io.stoker.dispatcher.placement;

import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.Preempted;
import io.stoker.dispatcher.placement.PreemptionReservationRules.Outcome;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How long room is held for whom it was made. */
class PreemptionReservationRulesTest {
  private static final long NOW = 1_000_000;
  private static final PreemptionReservation HOLD =
      new PreemptionReservation("urgent", "q", List.of("h1", "h2"), 2, 0, NOW, null, null);

  private static Outcome apply(
      PreemptionReservation hold, Set<String> inLine, long now, AttemptRow... open) {
    return PreemptionReservationRules.apply(List.of(hold), inLine, List.of(open), now);
  }

  private static AttemptRow ending(String host, String forJob, int gpus) {
    return anAttempt("low")
        .queue("q")
        .host(host)
        .heard(AttemptRow.State.RUNNING, 1)
        .gpus(gpus)
        .devices(null)
        .row()
        .preempted(new Preempted(forJob, null), "preempted");
  }

  @Test
  void itLastsWhileOthersEndOnItsHosts() {
    for (AttemptRow one : List.of(ending("h2", "urgent", 1), ending("h1", "another", 1))) {
      Outcome outcome = apply(HOLD, Set.of("urgent"), NOW + 3_600_000, one);
      assertThat(outcome.held()).containsExactly(HOLD);
      assertThat(outcome.changed()).isEmpty();
      assertThat(outcome.released()).isEmpty();
    }
  }

  @Test
  void whenTheyAreOverItsHostHasSomeTimeToGiveWhatIsFree() {
    Outcome outcome = apply(HOLD, Set.of("urgent"), NOW + 5_000, ending("h3", "urgent", 1));
    PreemptionReservation free = outcome.held().getFirst();
    assertThat(free.freeSince()).isEqualTo(NOW + 5_000);
    assertThat(outcome.changed()).containsExactly(free);

    long last = NOW + 5_000 + PreemptionReservationRules.SETTLES_WITHIN_MS;
    assertThat(apply(free, Set.of("urgent"), last).held()).containsExactly(free);
    assertThat(apply(free, Set.of("urgent"), last).changed()).isEmpty();
    assertThat(apply(free, Set.of("urgent"), last + 1).released()).containsExactly("urgent");
  }

  @Test
  void aClockThatIsSetBackKeepsNoRoomForEver() {
    PreemptionReservation free = apply(HOLD, Set.of("urgent"), NOW).held().getFirst();
    long before = NOW - 86_400_000;

    assertThat(apply(free, Set.of("urgent"), NOW - 1_000).held()).containsExactly(free);
    assertThat(apply(free, Set.of("urgent"), before).released()).containsExactly("urgent");
  }

  @Test
  void whoIsKnownLaterToEndThereIsWaitedForAllTheSame() {
    PreemptionReservation free = apply(HOLD, Set.of("urgent"), NOW).held().getFirst();
    assertThat(free.freeSince()).isEqualTo(NOW);

    long late = NOW + 2 * PreemptionReservationRules.SETTLES_WITHIN_MS;
    for (long then : List.of(NOW + 1_000, late)) {
      Outcome outcome = apply(free, Set.of("urgent"), then, ending("h1", "urgent", 1));
      assertThat(outcome.changed()).containsExactly(HOLD);
      assertThat(outcome.held()).containsExactly(HOLD);
      assertThat(outcome.released()).isEmpty();
    }
    assertThat(apply(free, Set.of("urgent"), late, ending("h1", "another", 1)).released())
        .as("who ends there for another job keeps it no longer")
        .containsExactly("urgent");
  }

  @Test
  void whoIsNotInLineNeedsNone() {
    Outcome outcome = apply(HOLD, Set.of(), NOW, ending("h1", "urgent", 1));
    assertThat(outcome.released()).containsExactly("urgent");
    assertThat(outcome.held()).isEmpty();
  }

  @Test
  void onlyWhatIsFreeByNowIsKeptFromOthers() {
    List<AttemptRow> open = List.of(ending("h1", "urgent", 1), ending("h2", "another", 1));
    Reservation reservation =
        PreemptionReservationRules.reservations(List.of(HOLD), open).getFirst();
    assertThat(reservation.toCome()).isEqualTo(Map.of("h1", 1));
    assertThat(reservation.madeSoFar("h1")).isEqualTo(new Need(1, 0));
    assertThat(reservation.madeSoFar("h2")).isEqualTo(new Need(2, 0));
    assertThat(reservation.made()).isEqualTo(new Need(2, 0));
  }

  @Test
  void whoGivesMoreThanIsNeededLeavesNothingToKeepMeanwhile() {
    Reservation reservation =
        PreemptionReservationRules.reservations(List.of(HOLD), List.of(ending("h1", "urgent", 4)))
            .getFirst();
    assertThat(reservation.madeSoFar("h1")).isEqualTo(new Need(0, 0));
  }
}
