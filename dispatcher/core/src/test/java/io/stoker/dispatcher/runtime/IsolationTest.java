package io.stoker.dispatcher.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.smallrye.mutiny.Uni;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class IsolationTest {
  private final List<String> done = new ArrayList<>();
  private final List<String> given = new ArrayList<>();
  private final List<Trouble> noted = new ArrayList<>();
  private final Map<String, Exception> bad = new HashMap<>();
  private boolean over = true;
  private long now = 1_000_000;

  private final Isolation<String> isolation =
      new Isolation<>(
          "step",
          new Isolation.Means(new TroubleBook(), () -> now, Fault::ofOther, noted::add),
          item -> item,
          this::together,
          (item, reason) -> {
            given.add(item + ": " + reason);
            return Uni.createFrom().item(over);
          });

  private Uni<Void> together(List<String> batch) {
    for (String item : batch) {
      if (bad.containsKey(item)) {
        return Uni.createFrom().failure(bad.get(item));
      }
    }
    done.addAll(batch);
    return Uni.createFrom().voidItem();
  }

  private void apply(List<String> items) {
    isolation.apply(items).await().indefinitely();
  }

  private static List<String> items(int size) {
    return IntStream.range(0, size).mapToObj(i -> "item-" + i).toList();
  }

  @Test
  void whatFailsStopsNoNeighbour() {
    bad.put("item-13", new IllegalStateException("a poisoned row"));

    apply(items(64));

    assertThat(done).hasSize(63).doesNotContain("item-13");
    assertThat(noted).hasSize(1);
    assertThat(given).isEmpty();
  }

  @Test
  void whatFailsAgainAndAgainIsGivenUpOnce() {
    bad.put("item-1", new IllegalStateException("a poisoned row"));
    for (int i = 0; i < TroubleBook.TRIES; i++) {
      assertThat(given).isEmpty();
      apply(items(3));
      now += 1_000;
    }

    assertThat(given).containsExactly("item-1: IllegalStateException: a poisoned row");
    assertThat(noted.getLast().ended()).isTrue();
  }

  @Test
  void whatCannotBeGivenUpIsTriedSlowlyUntilItSucceeds() {
    over = false;
    bad.put("item-1", new IllegalStateException("a poisoned row"));
    for (int i = 0; i < TroubleBook.TRIES; i++) {
      apply(items(3));
    }
    assertThat(isolation.waiting()).containsExactly("item-1");
    bad.clear();
    apply(items(3));
    assertThat(done).doesNotContain("item-1");

    now += TroubleBook.FIRST_PAUSE_MS;
    apply(items(3));

    assertThat(done).contains("item-1");
    assertThat(isolation.waiting()).isEmpty();
  }

  @Test
  void whereAllFailAlikeNothingIsGivenUp() {
    items(4).forEach(item -> bad.put(item, new IllegalStateException("all of them")));
    for (int i = 0; i < 100; i++) {
      apply(items(4));
    }

    assertThat(given).isEmpty();
  }

  @Test
  void anOutageIsNobodysFault() {
    apply(items(4));
    bad.put("item-1", new ConnectException("away"));
    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(() -> apply(items(4))).hasRootCauseMessage("away");
    }

    assertThat(given).isEmpty();
    assertThat(noted).isEmpty();
  }
}
