package io.stoker.agent.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.stoker.agent.device.Condition.State;
import io.stoker.agent.gpu.ClocksEventReasons;
import io.stoker.agent.gpu.HealthReading;
import io.stoker.agent.gpu.RemappedRows;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What befalls a device, and how it is then. */
class HealthRecordTest {
  private static final long MINUTE = 60_000;
  private static final HealthReading WELL = reading(0L, false, null, 0);
  private final HealthRecord fresh = HealthRecord.fresh(HealthRecord.Rules.DEFAULT);

  @ParameterizedTest
  @ValueSource(longs = {13, 31, 43, 45, 68, 109})
  void anApplicationsXidChangesNothing(long xid) {
    assertThat(fresh.xid(xid, 0).condition(0)).isEqualTo(Condition.OK);
  }

  @ParameterizedTest
  @ValueSource(longs = {48, 63, 74, 79, 95, 100_000})
  void everyOtherOneIsAFaultForAMinute(long xid) {
    HealthRecord record = fresh.xid(xid, 1_000);

    assertThat(record.condition(1_000)).isEqualTo(new Condition(State.UNHEALTHY, "Xid " + xid));
    assertThat(record.condition(1_000 + MINUTE - 1).serves()).isFalse();
    assertThat(record.condition(1_000 + MINUTE)).as("nothing restarted").isEqualTo(Condition.OK);
  }

  @Test
  void threeFaultsWithinAnHourAreAQuarantineUntilTheFirstIsAnHourOld() {
    HealthRecord record = fresh.xid(79, 0).xid(79, 20 * MINUTE).xid(48, 40 * MINUTE);

    assertThat(record.condition(40 * MINUTE))
        .isEqualTo(new Condition(State.QUARANTINED, "3 faults within 60 min, the last: Xid 48"));
    assertThat(record.condition(60 * MINUTE - 1).state()).isEqualTo(State.QUARANTINED);
    assertThat(record.condition(60 * MINUTE)).isEqualTo(Condition.OK);
  }

  @Test
  void onlyMoreUncorrectedErrorsThanBeforeAreAFault() {
    HealthRecord record = fresh.answered(reading(7L, false, null, 0), 0);
    assertThat(record.condition(0)).as("an old story").isEqualTo(Condition.OK);

    HealthRecord worse = record.answered(reading(9L, false, null, 0), 10);

    assertThat(worse.condition(10).state()).isEqualTo(State.UNHEALTHY);
    assertThat(worse.condition(10).reason()).isEqualTo("2 uncorrected memory errors more");
    assertThat(worse.answered(reading(0L, false, null, 0), 20).condition(10 + MINUTE))
        .as("the driver was loaded anew")
        .isEqualTo(Condition.OK);
  }

  @Test
  void aDeviceThatDoesNotAnswerThreeTimesIsOutUntilItDoes() {
    HealthRecord once = fresh.silent("too slow", false, 0);
    HealthRecord twice = once.silent("too slow", false, 5_000);
    HealthRecord thrice = twice.silent("too slow", false, 10_000);

    assertThat(once.condition(0)).isEqualTo(new Condition(State.SUSPECT, "too slow"));
    assertThat(twice.condition(5_000).state()).isEqualTo(State.SUSPECT);
    assertThat(twice.answered(WELL, 6_000).condition(6_000)).isEqualTo(Condition.OK);
    assertThat(thrice.condition(10_000)).isEqualTo(new Condition(State.UNHEALTHY, "too slow"));
    HealthRecord hours = thrice;
    for (int i = 3; i < 2_000; i++) {
      hours = hours.silent("too slow", false, i * 5_000L);
    }
    assertThat(hours.condition(10_000_000))
        .as("one long silence is one fault")
        .isEqualTo(new Condition(State.UNHEALTHY, "too slow"));
    assertThat(hours.answered(WELL, 10_000_000).condition(10_000_000)).isEqualTo(Condition.OK);
  }

  @Test
  void aLostGpuIsOutAtOnceAndServesAMinuteAfterItCameBack() {
    HealthRecord lost = fresh.silent("GPU is lost", true, 0).silent("GPU is lost", true, 5_000);

    assertThat(lost.condition(5_000)).isEqualTo(new Condition(State.UNHEALTHY, "GPU is lost"));
    HealthRecord back = lost.answered(WELL, 10_000);
    assertThat(back.condition(10_000).state()).isEqualTo(State.UNHEALTHY);
    assertThat(back.condition(MINUTE)).isEqualTo(Condition.OK);
  }

  @ParameterizedTest(name = "retirement {0}, rows {1}, clocks {2}: {3}")
  @CsvSource({
    "false, '',    0x0,  OK,          ''",
    "true,  '',    0x0,  SUSPECT,     a page of its memory waits",
    "false, pending, 0x0, SUSPECT,    a row of its memory waits",
    "false, failed, 0x0, QUARANTINED, a row of its memory could not be replaced",
    "false, '',    0x20, SUSPECT,     it is too hot",
    "false, '',    0x40, SUSPECT,     it is too hot",
    "false, '',    0x80, SUSPECT,     the power supply asks for less",
    "false, '',    0x4,  OK,          ''",
  })
  void whatItTellsOfItself(
      boolean retirement, String rows, String clocks, State state, String reason) {
    HealthReading reading = reading(0L, retirement, rows, Long.decode(clocks));

    Condition condition = fresh.answered(reading, 0).condition(0);

    assertThat(condition.state()).isEqualTo(state);
    assertThat(condition.reason()).contains(reason);
    assertThat(condition.serves()).isEqualTo(state == State.OK || state == State.SUSPECT);
  }

  @Test
  void leftoversQuarantineUntilTheyAreGone() {
    HealthRecord dirty = fresh.leftovers(Optional.of("memory of a-1 is not given back"));

    assertThat(dirty.condition(0))
        .isEqualTo(new Condition(State.QUARANTINED, "memory of a-1 is not given back"));
    assertThat(dirty.leftovers(Optional.empty()).condition(0)).isEqualTo(Condition.OK);
  }

  private static HealthReading reading(Long errors, boolean retirement, String rows, long clocks) {
    return new HealthReading(
        OptionalLong.of(errors),
        OptionalInt.of(0),
        retirement,
        Optional.of(new RemappedRows(0, 0, "pending".equals(rows), "failed".equals(rows))),
        Optional.of(new ClocksEventReasons(clocks)));
  }
}
