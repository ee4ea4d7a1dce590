package io.stoker.dispatcher.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EndOfLogTest {
  private final EndOfLog<String> end = new EndOfLog<>();
  private final Map<String, Long> positions = new HashMap<>();
  private long now = 100_000;

  @BeforeEach
  void readAll() {
    positions.put("p0", 10L);
    positions.put("p1", 20L);
  }

  @Test
  void nothingIsKnownBeforeItWasAskedFor() {
    assertThat(reached()).isFalse();
    assertThat(end.toBeAsked(now)).isTrue();
  }

  @Test
  void theEndIsHeldByWhoHasReadEveryPartition() {
    end.asked(Map.of("p0", 10L, "p1", 20L), now);

    assertThat(reached()).isTrue();
  }

  @Test
  void aLogThatGrowsAllTheTimeIsHeldAllTheSame() {
    for (long offset = 10; offset < 100; offset++) {
      end.asked(Map.of("p0", offset + 1), now);
      assertThat(reached()).as("a record came since the last reading").isFalse();
      positions.put("p0", offset + 1);
      assertThat(reached()).isTrue();
      now += 1000;
    }
  }

  @Test
  void onePartitionInArrearsIsEnoughNotToHoldIt() {
    end.asked(Map.of("p0", 10L, "p1", 21L), now);

    assertThat(reached()).isFalse();
  }

  @Test
  void whoReachesItLateWasInArrears() {
    end.asked(Map.of("p0", 11L), now);
    now += EndOfLog.SOON_MS + 1;
    positions.put("p0", 11L);

    assertThat(reached()).isFalse();
    assertThat(end.toBeAsked(now)).isTrue();
  }

  @Test
  void itIsSaidOnceForEachTimeThatItWasAskedFor() {
    end.asked(Map.of("p0", 10L), now);
    assertThat(reached()).isTrue();

    assertThat(reached()).isFalse();
    assertThat(end.toBeAsked(now)).isTrue();
  }

  @Test
  void anEndThatMayStillBeReachedInTimeIsNotAskedForAgain() {
    end.asked(Map.of("p0", 11L), now);

    assertThat(end.toBeAsked(now + EndOfLog.SOON_MS)).isFalse();
    assertThat(end.toBeAsked(now + EndOfLog.SOON_MS + 1)).isTrue();
  }

  private boolean reached() {
    return end.reached(positions::get, now);
  }
}
