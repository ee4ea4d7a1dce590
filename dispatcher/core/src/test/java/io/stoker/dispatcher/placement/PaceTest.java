package io.stoker.dispatcher.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PaceTest {
  private static final long START = 1_000_000_000L;

  private final Pace pace = new Pace();

  @ParameterizedTest
  @CsvSource({"0, 5000", "1, 10000", "59, 300000"})
  void aJobStartsWhenThoseBeforeItHave(long ahead, long inMs) {
    for (int second = 0; second <= 100; second += 10) {
      pace.started("q", second == 0 ? 0 : 2, START + second * 1_000L);
    }

    Pace.Expected expected = pace.of("q", ahead, START + 100_000).orElseThrow();

    assertThat(expected.inMs()).isEqualTo(inMs);
    assertThat(expected.at()).isEqualTo(START + 100_000 + inMs);
    assertThat(expected.sentence())
        .isEqualTo(
            "its queue has started 20 jobs in the last 100 s, and %d go before it"
                .formatted(ahead));
  }

  @Test
  void ofAQueueThatStartedNothingOfLateNothingIsSaid() {
    pace.started("q", 50, START);
    pace.started("other", 1, START);

    assertThat(pace.of("q", 0, START + 1)).isPresent();
    assertThat(pace.of("unknown", 0, START + 1)).isEmpty();
    assertThat(pace.of("other", 0, START + 1)).as("one start is no pace").isEmpty();
    assertThat(pace.of("q", 0, START + Pace.MEMORY_MS + 10_000)).as("forgotten").isEmpty();
  }

  @Test
  void startsLongAgoDoNotCount() {
    pace.started("q", 1_000, START);
    pace.started("q", 10, START + Pace.MEMORY_MS);

    assertThat(pace.of("q", 0, START + Pace.MEMORY_MS + 20_000).orElseThrow().inMs())
        .isEqualTo(Pace.MEMORY_MS / 10);
  }
}
