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
          String::length,
          batch -> {
            batches.add(batch);
            return Uni.createFrom().emitter(working::add);
          });

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
        new MicroBatcher<>("test", ENVIRONMENT, one -> one.length, MicroBatcherTest::about);
    byte[] payload = new byte[100];
    WeakReference<byte[]> held = new WeakReference<>(payload);
    quiet.put(payload, () -> {}).subscribe().with(done -> {});
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
            String::length,
            batch -> {
              again.countDown();
              return again.getCount() > 0
                  ? Uni.createFrom().failure(new IllegalStateException("once"))
                  : Uni.createFrom().item(DONE);
            });
    CountDownLatch done = new CountDownLatch(1);

    failing.put("a", done::countDown).subscribe().with(taken -> {});

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
    return batcher.put(payload, () -> acknowledged.add(payload));
  }
}
