package io.stoker.dispatcher.placement;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThroughputEstimateTest {
  private static final long START = 1_000_000_000L;

  private final ThroughputEstimate throughput = new ThroughputEstimate();

  @ParameterizedTest
  @CsvSource({"0, 5000", "1, 10000", "59, 300000"})
  void aJobStartsWhenThoseBeforeItHave(long ahead, long inMs) {
    for (int second = 0; second <= 100; second += 10) {
      throughput.started("q", second == 0 ? 0 : 2, START + second * 1_000L);
    }

    ThroughputEstimate.Expected expected = throughput.of("q", ahead, START + 100_000).orElseThrow();

    assertThat(expected.inMs()).isEqualTo(inMs);
    assertThat(expected.at()).isEqualTo(START + 100_000 + inMs);
    assertThat(expected.sentence())
        .isEqualTo(
            "its queue has started 20 jobs in the last 100 s, and %d go before it"
                .formatted(ahead));
  }

  @Test
  void ofAQueueThatStartedNothingOfLateNothingIsSaid() {
    throughput.started("q", 50, START);
    throughput.started("other", 1, START);

    assertThat(throughput.of("q", 0, START + 1)).isPresent();
    assertThat(throughput.of("unknown", 0, START + 1)).isEmpty();
    assertThat(throughput.of("other", 0, START + 1)).as("one start is no pace").isEmpty();
    assertThat(throughput.of("q", 0, START + ThroughputEstimate.MEMORY_MS + 10_000))
        .as("forgotten")
        .isEmpty();
  }

  @Test
  void startsLongAgoDoNotCount() {
    throughput.started("q", 1_000, START);
    throughput.started("q", 10, START + ThroughputEstimate.MEMORY_MS);

    assertThat(
            throughput
                .of("q", 0, START + ThroughputEstimate.MEMORY_MS + 20_000)
                .orElseThrow()
                .inMs())
        .isEqualTo(ThroughputEstimate.MEMORY_MS / 10);
  }
}
