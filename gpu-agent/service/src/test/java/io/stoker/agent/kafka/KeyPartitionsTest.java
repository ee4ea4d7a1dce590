package io.stoker.agent.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class KeyPartitionsTest {
  private final List<CompletableFuture<Integer>> asked = new ArrayList<>();
  private long nowMs;
  private final KeyPartitions partitions = new KeyPartitions(this::count, () -> nowMs);

  private Uni<Integer> count() {
    asked.add(new CompletableFuture<>());
    return Uni.createFrom().completionStage(asked.getLast());
  }

  @Test
  void untilThePartitionsAreKnownEachKeyIsAlone() {
    assertThat(partitions.of("a")).isEqualTo(partitions.of("a")).isNotEqualTo(partitions.of("b"));
    assertThat(asked).as("once, however many keys wait for it").hasSize(1);
  }

  @Test
  void keysGoWhereKafkaPutsThem() {
    partitions.of("a");
    asked.getFirst().complete(4);

    assertThat(IntStream.range(0, 64).map(i -> partitions.of("job" + i)).toArray())
        .containsOnly(0, 1, 2, 3);
    // Seen in a topic of four partitions.
    assertThat(partitions.of("01m829669xvxf31wx63k35z")).isZero();
    assertThat(partitions.of("01m82969wqajz884q8rmd10")).isEqualTo(3);
  }

  @Test
  void itIsAskedAgainWhenThatFailsAndNowAndThen() {
    partitions.of("a");
    asked.getFirst().completeExceptionally(new IllegalStateException("no broker"));
    partitions.of("a");
    assertThat(asked).hasSize(2);
    asked.getLast().complete(1);
    assertThat(partitions.of("b")).isEqualTo(partitions.of("a"));
    assertThat(asked).hasSize(2);

    nowMs += 300_000;
    assertThat(partitions.of("b")).as("as it was known").isZero();
    assertThat(asked).hasSize(3);
    asked.getLast().complete(2);
    assertThat(IntStream.range(0, 64).map(i -> partitions.of("job" + i)).toArray()).contains(0, 1);
  }
}
