package io.stoker.dispatcher.fairshare;

import static io.stoker.dispatcher.scenario.AnAttempt.anAttempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.UsageRow;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FairShareTest {
  private static final long HOUR = 3_600_000;
  private static final long NOW = 100 * HOUR;

  private final QueueSettings gold =
      new QueueSettings("gold", 3, OptionalInt.of(2), OptionalInt.empty(), false);
  private final FairShare shares = new FairShare(new Queues(List.of(gold)), new Decay(HOUR));

  @Test
  void whatEndedIsForgottenAndWhatRunsIsDerived() {
    Usage ended = new Usage("gold", new DeviceTime(8 * HOUR, 0), NOW - HOUR);

    Standing standing =
        standings(List.of(ended), List.of(attempt("gold", 2, 0, NOW - 1000))).get("gold");

    assertThat(standing.used().gpuMs()).isCloseTo(4 * HOUR + 2000, within(1.0));
    assertThat(standing.running()).isEqualTo(1);
    assertThat(standing.mayStart()).isEqualTo(1);
  }

  @Test
  void anOpenAttemptIsChargedForAMinuteAtLeast() {
    Standing fresh = standings(List.of(), List.of(attempt("gold", 0, 3, NOW))).get("gold");
    Standing old = standings(List.of(), List.of(attempt("gold", 0, 3, NOW - 120_000))).get("gold");

    assertThat(fresh.used().slotMs()).isZero();
    assertThat(fresh.charged().slotMs()).isEqualTo(3 * 60_000);
    assertThat(old.charged()).isEqualTo(old.used());
    assertThat(old.charged().gpuMs()).isZero();
  }

  @Test
  void queuesAreThereThatAreConfiguredUsedOpenOrNamed() {
    Usage ended = new Usage("used", DeviceTime.NONE, NOW);

    assertThat(standings(List.of(ended), List.of(attempt("open", 1, 0, NOW)), "named").keySet())
        .containsExactlyInAnyOrder("default", "gold", "used", "open", "named");
  }

  @Test
  void endedAttemptsAddToWhatIsLeft() {
    Decay decay = new Decay(HOUR);
    Usage before = new Usage("gold", new DeviceTime(HOUR, 0), NOW - HOUR);
    UsageRow row =
        UsageRow.of(attempt("gold", 2, 0, NOW - 1000), NOW)
            .plus(UsageRow.of(attempt("gold", 0, 4, NOW - 1000), NOW));

    Usage after = before.plus(row, decay);

    assertThat(after.at()).isEqualTo(NOW);
    assertThat(after.time().gpuMs()).isCloseTo(HOUR / 2.0 + 2000, within(1.0));
    assertThat(after.time().slotMs()).isCloseTo(4000, within(1.0));
  }

  @Test
  void whatWasNotedByAClockFarAheadIsForgottenFromNowOn() {
    Decay decay = new Decay(HOUR);
    Usage ahead = new Usage("gold", new DeviceTime(HOUR, 0), NOW + 24 * 365 * HOUR);
    UsageRow row = UsageRow.of(attempt("gold", 1, 0, NOW), NOW);

    assertThat(ahead.plus(row, decay)).isEqualTo(new Usage("gold", ahead.time(), NOW));
    Usage late = new Usage("gold", new DeviceTime(HOUR, 0), NOW + 500);
    assertThat(late.plus(row, decay)).as("a moment ahead").isEqualTo(late);
  }

  @Test
  void plus_ofAQueueThatHasNothingYetAndOneThatHas_addsToBoth() {
    Usage before = new Usage("gold", new DeviceTime(HOUR, 0), NOW);
    List<UsageRow> more =
        List.of(
            UsageRow.of(attempt("gold", 2, 0, NOW - 1000), NOW),
            UsageRow.of(attempt("new", 0, 3, NOW - 1000), NOW));

    Map<String, Standing> standings =
        standings(List.copyOf(Usage.plus(List.of(before), more, new Decay(HOUR))), List.of());

    assertThat(standings.get("gold").used().gpuMs()).isCloseTo(HOUR + 2000, within(1.0));
    assertThat(standings.get("new").used().slotMs()).isCloseTo(3000, within(1.0));
  }

  @Test
  void theMeanRunOfATransactionIsByWhatWasTaken() {
    UsageRow both =
        UsageRow.of(attempt("gold", 1, 0, NOW - 9000), NOW)
            .plus(UsageRow.of(attempt("gold", 1, 0, NOW - 1000), NOW));

    assertThat(both.gpuMs()).isEqualTo(10_000);
    assertThat(both.runMs()).isCloseTo(8200, within(1e-6));
  }

  @Test
  void nothingIsTakenByAnAttemptPlacedByAFasterClock() {
    assertThat(UsageRow.of(attempt("gold", 1, 0, NOW + 5), NOW).gpuMs()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "a b, 1, 1, 1, is no name",
    "a, 0, 1, 1, weight 0.0",
    "a, -1, 1, 1, weight -1.0",
    "a, NaN, 1, 1, weight NaN",
    "a, 1, 0, 1, max-running 0",
    "a, 1, 1, 0, max-queued 0"
  })
  void settingsThatMeanNothingAreRefused(
      String name, double weight, int running, int queued, String says) {
    OptionalInt most = OptionalInt.of(running);
    assertThatThrownBy(() -> new QueueSettings(name, weight, most, OptionalInt.of(queued), true))
        .hasMessageContaining("stoker.queues: the queue " + name)
        .hasMessageContaining(says);
  }

  @ParameterizedTest
  @CsvSource({"PT0S", "PT-1S", "PT0.0001S", "P366D"})
  void soIsAnAgingByWhichNobodyOrEverybodyIsOvertakenForEver(Duration aging) {
    OptionalInt none = OptionalInt.empty();
    assertThatThrownBy(
            () -> new QueueSettings("a", 1, none, none, true, Optional.empty(), false, aging))
        .hasMessage("stoker.queues: the queue a has aging %s, expected 1 ms to 365 days", aging);
  }

  private Map<String, Standing> standings(
      List<Usage> ended, List<AttemptRow> open, String... named) {
    return shares.standings(ended, open, List.of(named), NOW);
  }

  private static AttemptRow attempt(String queue, int gpus, int slots, long placedAt) {
    return anAttempt("job")
        .queue(queue)
        .heard(AttemptRow.State.RUNNING, 0)
        .gpus(gpus)
        .cpuSlots(slots)
        .placed(placedAt, 0)
        .row();
  }
}
