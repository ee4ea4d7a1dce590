package io.stoker.dispatcher.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.dispatcher.ledger.MemoryRow;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Folded or not, the newest peaks are known, and how many there have been. */
@QuarkusTest
@OnRealServices
class MemoryTableTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @Inject Database database;
  private final String key = "like " + UUID.randomUUID();

  @Test
  void peaksAreKnownBeforeAndAfterTheyAreFolded() {
    long now = database.read(Database::now).await().atMost(SOON);
    assertThat(known()).isEmpty();

    add(new MemoryRow(key, 1, now), new MemoryRow(key, 2, now + 1));
    assertThat(known()).isEqualTo(Map.of(key, new Peaks(List.of(2L, 1L), 2)));
    fold();
    fold();
    assertThat(known()).isEqualTo(Map.of(key, new Peaks(List.of(2L, 1L), 2)));
    add(new MemoryRow(key, 3, now + 2));
    assertThat(known()).isEqualTo(Map.of(key, new Peaks(List.of(3L, 2L, 1L), 3)));
    fold();
    assertThat(known()).isEqualTo(Map.of(key, new Peaks(List.of(3L, 2L, 1L), 3)));
  }

  @Test
  void onlyTheNewestAreRemembered() {
    long now = database.read(Database::now).await().atMost(SOON);
    for (int batch = 0; batch < 3; batch++) {
      int first = batch * 40;
      add(
          IntStream.range(first, first + 40)
              .mapToObj(i -> new MemoryRow(key, i, now + i))
              .toArray(MemoryRow[]::new));
      fold();
    }

    Peaks peaks = known().get(key);

    assertThat(peaks.seen()).isEqualTo(120);
    assertThat(peaks.newest())
        .hasSize(MemoryRules.REMEMBERED)
        .startsWith(119L, 118L)
        .endsWith(120L - MemoryRules.REMEMBERED);
  }

  @Test
  void whatNothingIsAddedToIsForgotten() {
    long now = database.read(Database::now).await().atMost(SOON);
    add(new MemoryRow(key, 7, now - 1_000));
    fold();

    forget(now - 1_000);
    assertThat(known()).containsKey(key);
    forget(now - 999);
    assertThat(known()).isEmpty();
  }

  private void add(MemoryRow... rows) {
    database
        .transaction(session -> Write.run(session, List.of(MemoryTable.insert(List.of(rows)))))
        .await()
        .atMost(SOON);
  }

  private void fold() {
    database.transaction(MemoryTable::fold).await().atMost(SOON);
  }

  private void forget(long before) {
    database.transaction(session -> MemoryTable.forget(session, before)).await().atMost(SOON);
  }

  private Map<String, Peaks> known() {
    return database.read(session -> MemoryTable.peaks(session, List.of(key))).await().atMost(SOON);
  }
}
