package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.stoker.dispatcher.runtime.MicroBatcher.Worked;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PartitionedMicroBatcherTest {
  private static final Worked DONE = new Worked(1, Uni.createFrom().voidItem());

  private final List<List<Record>> batches = new ArrayList<>();
  private final List<UniEmitter<? super Worked>> working = new ArrayList<>();
  private final AtomicInteger acknowledged = new AtomicInteger();
  private final PartitionedMicroBatcher<Record> batcher =
      new PartitionedMicroBatcher<>(
          "test",
          Environment.ofProcess(Fault::ofOther, Environment::atOnce),
          2,
          one -> 100,
          Record::partition,
          batch -> {
            batches.add(batch);
            return Uni.createFrom().emitter(working::add);
          });

  private record Record(int partition, int offset) {}

  private void put(Record... polled) {
    batcher.put(List.of(polled), acknowledged::incrementAndGet).subscribe().with(room -> {});
  }

  @Test
  void twoBatchesAreWorkedOnSideBySideAndNeverTwoOfOnePartition() {
    put(new Record(0, 1), new Record(1, 1), new Record(2, 1));
    put(new Record(0, 2), new Record(3, 1));
    assertThat(batches)
        .containsExactly(List.of(new Record(0, 1), new Record(2, 1)), List.of(new Record(1, 1)));

    working.get(1).complete(DONE);
    assertThat(batches).last().isEqualTo(List.of(new Record(3, 1)));
    working.get(0).complete(DONE);

    assertThat(batches).last().isEqualTo(List.of(new Record(0, 2)));
  }

  @Test
  void whatWasPolledIsAcknowledgedWhenAllOfItIsDone() {
    put(new Record(0, 1), new Record(1, 1));

    working.get(0).complete(DONE);
    assertThat(acknowledged).hasValue(0);
    working.get(1).complete(DONE);

    assertThat(acknowledged).hasValue(1);
  }

  @Test
  void noMoreAreWorkedOnAtOnceThanOneTransactionTakesInWell() {
    put(new Record(0, 0));
    for (int i = 0; i < 4; i++) {
      put(IntStream.range(0, 300).mapToObj(n -> new Record(0, n)).toArray(Record[]::new));
    }
    working.get(0).complete(DONE);

    assertThat(batches).last().asList().hasSizeBetween(1, 500);
  }
}
