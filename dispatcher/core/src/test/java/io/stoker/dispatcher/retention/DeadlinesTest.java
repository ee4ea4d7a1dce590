package io.stoker.dispatcher.retention;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DeadlinesTest {
  private static final long NOW = 1_000_000_000_000L;

  @Test
  void requestsResultsAndHostsAreKeptAsLongAsConfigured() {
    Deadlines deadlines =
        Deadlines.at(NOW, Duration.ofDays(3), Duration.ofDays(7), Duration.ofDays(5));

    assertThat(deadlines.requests()).isEqualTo(NOW - Duration.ofDays(3).toMillis());
    assertThat(deadlines.results()).isEqualTo(NOW - Duration.ofDays(7).toMillis());
    assertThat(deadlines.hosts()).isEqualTo(NOW - Duration.ofDays(5).toMillis());
  }

  @ParameterizedTest
  @CsvSource({"30, 30", "1, 90", "90, 1", "30, 0"})
  void aJobIsKeptAsLongAsEitherMayNeedIt(long requestDays, long resultDays) {
    Duration requests = Duration.ofDays(requestDays);
    Duration results = Duration.ofDays(resultDays);

    assertThat(Deadlines.at(NOW, requests, results, Duration.ZERO).jobs())
        .isEqualTo(NOW - Duration.ofDays(Math.max(requestDays, resultDays)).toMillis());
  }
}
