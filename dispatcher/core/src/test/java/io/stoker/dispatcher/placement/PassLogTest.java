package io.stoker.dispatcher.placement;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the log says of passes. */
class PassLogTest {
  private final PassLog log = new PassLog();

  @Test
  void whatPassesDidIsToldWithTheirNumbersNowAndThen() {
    Map<String, UnschedulableReason> left =
        Map.of(
            "b", UnschedulableReason.noRoom(1, "1 GPU"), "c", UnschedulableReason.never("no host"));

    assertThat(log.passed(2, false, left, 1_000))
        .hasValue(
            "passes 1 to 1: 2 placed; of the first in line 2 left {NO_ROOM=1, UNSATISFIABLE=1}");
    assertThat(log.passed(3, true, left, 1_001)).as("a moment later").isEmpty();
    assertThat(log.passed(0, false, Map.of(), 1_000 + PassLog.APART_MS))
        .hasValue(
            "passes 2 to 3: 3 placed, 1 made room by preemption; of the first in line 0 left");
  }

  @Test
  void whatDoesNothingAndLeavesTheSameIsNotTold() {
    assertThat(log.passed(0, false, Map.of(), 0)).isEmpty();
    Map<String, UnschedulableReason> left = Map.of("b", UnschedulableReason.noRoom(1, "1 GPU"));

    assertThat(log.passed(0, false, left, 1)).isPresent();
    assertThat(log.passed(0, false, left, 100_000)).isEmpty();
  }
}
