package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.smallrye.mutiny.Uni;
import io.smallrye.mutiny.subscription.UniEmitter;
import io.stoker.common.size.Limits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InboxTest {
  private final List<List<String>> batches = new ArrayList<>();
  private final List<UniEmitter<? super Integer>> working = new ArrayList<>();
  private final List<String> acknowledged = new ArrayList<>();
  private final Inbox<String> inbox =
      new Inbox<>(
          "test",
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

    working.get(0).complete(1);

    assertThat(batches).containsExactly(List.of("a"), List.of("b", "c"));
  }

  @Test
  void ofLargeMessagesFewWaitAndAreWorkedOnAtOnce() {
    String large = "x".repeat(Limits.AT_ONCE / 2);
    AtomicInteger asked = new AtomicInteger();
    for (int i = 0; i < 6; i++) {
      put(large + i).subscribe().with(done -> asked.incrementAndGet());
    }
    assertThat(asked).as("the one at work, and the first that waits").hasValue(2);

    for (int i = 0; i < working.size(); i++) {
      working.get(i).complete(1);
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

    working.get(0).complete(1);
    assertThat(acknowledged).containsExactly("a");
    working.get(1).complete(1);

    assertThat(acknowledged).containsExactly("a", "b");
  }

  @Test
  void itAsksForNoMoreWhenManyWait() {
    AtomicInteger asked = new AtomicInteger();
    for (int i = 0; i < 100; i++) {
      put("m" + i).subscribe().with(done -> asked.incrementAndGet());
    }
    int before = asked.get();
    assertThat(before).isLessThan(100);

    working.get(0).complete(1);

    assertThat(asked).hasValue(100);
  }

  private Uni<Void> put(String payload) {
    return inbox.put(payload, () -> acknowledged.add(payload));
  }
}
