package io.stoker.cli.stack.child;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BackoffTest {
  private static final Duration SHORT_LIFE = Duration.ofSeconds(1);

  @Test
  void waitsLongerFromDeathToDeathUpToALimit() {
    List<Long> delays =
        Stream.iterate(Backoff.FRESH, backoff -> backoff.afterDeath(SHORT_LIFE))
            .limit(9)
            .map(backoff -> backoff.delay().toMillis())
            .toList();

    assertThat(delays).containsExactly(0L, 200L, 400L, 800L, 1600L, 3200L, 6400L, 10_000L, 10_000L);
  }

  @Test
  void forgetsEarlierDeathsAfterAHealthyLife() {
    Backoff worn = new Backoff(50);

    assertThat(worn.afterDeath(Backoff.HEALTHY).delay()).isEqualTo(Backoff.FIRST);
  }
}
