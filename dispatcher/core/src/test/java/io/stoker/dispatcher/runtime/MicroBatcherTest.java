package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.stoker.common.size.Limits;
import io.stoker.dispatcher.runtime.MicroBatcher.Worked;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

class MicroBatcherTest {
  private static final Environment ENVIRONMENT =
      Environment.ofProcess(Fault::ofOther, Environment::atOnce);

  private static final Worked DONE = new Worked(1, Uni.createFrom().voidItem());

  private final List<List<String>> batches = new ArrayList<>();
  private final List<UniEmitter<? super Worked>> working = new ArrayList<>();
  private final List<String> acknowledged = new ArrayList<>();
  private final MicroBatcher<String> batcher =
      new MicroBatcher<>(
          "test",
          ENVIRONMENT,
          1,
          String::length,
          one -> 0,
          batch -> {
            batches.add(batch);
            return Uni.createFrom().emitter(working::add);
          });

  private final List<List<Record>> shared = new ArrayList<>();
  private final MicroBatcher<Record> lanes =
      new MicroBatcher<>(
          "test",
          ENVIRONMENT,
          2,
          one -> 100,
          Record::partition,
          batch -> {
            shared.add(batch);
            return Uni.createFrom().emitter(working::add);
          });

  private record Record(int partition, int offset) {}

  @Test
  void whatComesWhileABatchIsWorkedOnIsTheNextBatch() {
    put("a").subscribe().with(done -> {});
    put("b").subscribe().with(done -> {});
    put("c").subscribe().with(done -> {});
    assertThat(batches).containsExactly(List.of("a"));

    working.get(0).complete(DONE);

    assertThat(batches).containsExactly(List.of("a"), List.of("b", "c"));
  }

  @Test
  void ofLargeMessagesFewWaitAndAreWorkedOnAtOnce() {
    String large = "x".repeat(Limits.RECORDS_AT_ONCE / 2);
    AtomicInteger asked = new AtomicInteger();
    for (int i = 0; i < 6; i++) {
      put(large + i).subscribe().with(done -> asked.incrementAndGet());
    }
    assertThat(asked).as("the one at work, and the first that waits").hasValue(2);

    for (int i = 0; i < working.size(); i++) {
      working.get(i).complete(DONE);
    }

    assertThat(asked).hasValue(6);
    assertThat(batches).hasSize(6);
    assertThat(acknowledged).hasSize(6);
  }

  @Test
  void aMessageIsAcknowledgedWhenItsBatchIsDone() {
    put("a").subscribe().with(done -> {});
    put("b").subscribe().with(done -> {});
    assertThat(acknowledged).isEmpty();

    working.get(0).complete(DONE);
    assertThat(acknowledged).containsExactly("a");
    working.get(1).complete(DONE);

    assertThat(acknowledged).containsExactly("a", "b");
  }

  @Test
  void theNextBatchIsWorkedOnWhileTheOneBeforeIsSettled() {
    List<UniEmitter<? super Void>> settling = new ArrayList<>();
    put("0").subscribe().with(done -> {});
    for (int i = 0; i < 4; i++) {
      put(String.valueOf(i + 1)).subscribe().with(done -> {});
      working.get(i).complete(new Worked(1, Uni.createFrom().emitter(settling::add)));
    }
    assertThat(batches).as("the fifth waits for the first").hasSize(4);
    assertThat(acknowledged).isEmpty();

    settling.get(1).complete(null);
    assertThat(acknowledged).containsExactly("1");
    assertThat(batches).hasSize(4);
    settling.get(0).complete(null);

    assertThat(acknowledged).containsExactly("1", "0");
    assertThat(batches).hasSize(5);
  }

  @Test
  void nothingIsHeldOfABatchThatIsDoneWith() {
    MicroBatcher<byte[]> quiet =
        new MicroBatcher<>(
            "test", ENVIRONMENT, 1, one -> one.length, one -> 0, MicroBatcherTest::about);
    byte[] payload = new byte[100];
    WeakReference<byte[]> held = new WeakReference<>(payload);
    quiet.put(List.of(payload), () -> {}).subscribe().with(done -> {});
    payload = null;

    for (int i = 0; i < 10 && held.get() != null; i++) {
      System.gc();
    }

    assertThat(held.get()).isNull();
  }

  /** What is left to be done about a batch knows all that was in it. */
  private static Uni<Worked> about(List<byte[]> batch) {
    return Uni.createFrom().item(new Worked(1, Uni.createFrom().item(batch).replaceWithVoid()));
  }

  @Test
  void whatFailsIsTriedAgain() throws Exception {
    CountDownLatch again = new CountDownLatch(2);
    MicroBatcher<String> failing =
        new MicroBatcher<>(
            "test",
            ENVIRONMENT,
            1,
            String::length,
            one -> 0,
            batch -> {
              again.countDown();
              return again.getCount() > 0
                  ? Uni.createFrom().failure(new IllegalStateException("once"))
                  : Uni.createFrom().item(DONE);
            });
    CountDownLatch done = new CountDownLatch(1);

    failing.put(List.of("a"), done::countDown).subscribe().with(taken -> {});

    assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void itAsksForNoMoreWhenManyWait() {
    AtomicInteger asked = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      put("m" + i).subscribe().with(done -> asked.incrementAndGet());
    }
    int before = asked.get();
    assertThat(before).isLessThan(100);

    working.get(0).complete(DONE);

    assertThat(asked).hasValue(100);
  }

  private Uni<Void> put(String payload) {
    return batcher.put(List.of(payload), () -> acknowledged.add(payload));
  }

  private void put(Record... polled) {
    lanes.put(List.of(polled), () -> acknowledged.add("a poll")).subscribe().with(room -> {});
  }

  private static Record[] many(int partition) {
    return IntStream.range(0, BatchDelay.MANY)
        .mapToObj(n -> new Record(partition, n))
        .toArray(Record[]::new);
  }

  @Test
  void fewAreOneBatchAfterTheOtherOfWhateverPartitions() {
    put(new Record(0, 1), new Record(1, 1), new Record(2, 1));
    put(new Record(0, 2), new Record(3, 1));
    assertThat(shared)
        .hasSize(1)
        .first()
        .asInstanceOf(InstanceOfAssertFactories.list(Record.class))
        .containsExactlyInAnyOrder(new Record(0, 1), new Record(1, 1), new Record(2, 1));

    working.get(0).complete(DONE);

    assertThat(shared)
        .hasSize(2)
        .last()
        .asInstanceOf(InstanceOfAssertFactories.list(Record.class))
        .containsExactlyInAnyOrder(new Record(0, 2), new Record(3, 1));
    assertThat(acknowledged).hasSize(1);
  }

  @Test
  void ofManyTwoBatchesAreWorkedOnSideBySideAndNeverTwoOfOnePartition() {
    put(many(0));
    put(many(1));
    put(new Record(0, 99));
    put(many(1));
    assertThat(shared).containsExactly(List.of(many(0)), List.of(many(1)));

    working.get(1).complete(DONE);
    assertThat(shared).last().isEqualTo(List.of(many(1)));
    working.get(0).complete(DONE);
    assertThat(shared).as("few wait for whatever is worked on").hasSize(3);
    working.get(2).complete(DONE);

    assertThat(shared).last().isEqualTo(List.of(new Record(0, 99)));
  }

  @Test
  void whatWasPolledIsAcknowledgedWhenAllOfItIsDone() {
    put(many(0));
    put(Stream.of(many(0), many(1)).flatMap(Stream::of).toArray(Record[]::new));
    assertThat(shared).hasSize(2);

    working.get(1).complete(DONE);
    assertThat(acknowledged).isEmpty();
    working.get(0).complete(DONE);
    assertThat(acknowledged).hasSize(1);
    working.get(2).complete(DONE);

    assertThat(acknowledged).hasSize(2);
  }

  @Test
  void noMoreAreWorkedOnAtOnceThanOneTransactionTakesInWell() {
    put(new Record(0, 0));
    for (int i = 0; i < 4; i++) {
      put(IntStream.range(0, 300).mapToObj(n -> new Record(0, n)).toArray(Record[]::new));
    }
    working.get(0).complete(DONE);

    assertThat(shared).last().asInstanceOf(InstanceOfAssertFactories.LIST).hasSizeBetween(1, 500);
  }
}
