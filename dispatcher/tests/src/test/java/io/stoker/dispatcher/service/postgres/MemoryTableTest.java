package io.stoker.dispatcher.service.postgres;

import static io.restassured.RestAssured.given;
import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.hamcrest.Matchers.startsWith;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.memory.Peaks;
import io.stoker.dispatcher.model.MemoryRow;
import io.stoker.dispatcher.service.testing.OnRealServices;
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
  private static final Duration SOON = Duration.ofSeconds(60);

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
  void restListsWhatIsKnownWithItsEvidenceAPageAtATime() {
    long now = database.read(Database::now).await().atMost(SOON);
    String text = key.substring("like ".length());
    add(
        new MemoryRow(key, 1000, now),
        new MemoryRow(key, 3000, now + 1),
        new MemoryRow("host " + key, 500, now),
        new MemoryRow("host equal " + text, 700, now));
    fold();

    given()
        .get("/estimates?of=gpu&text={text}", text)
        .then()
        .statusCode(200)
        .body("estimates.size()", is(1))
        .body("estimates[0].of", is("GPU"))
        .body("estimates[0].from", is("LIKE_JOBS"))
        .body("estimates[0].jobs", is(text))
        .body("estimates[0].bytes", is(3300))
        .body("estimates[0].seen", is(2))
        .body("estimates[0].highest", is(3000))
        .body("estimates[0].newest", is(List.of(3000, 1000)))
        .body("estimates[0].at", is(now + 1))
        .body("estimates[0].sentence", startsWith("3.2 KiB on each GPU: of 2 job(s) like it"))
        .body("next", is(nullValue()));
    String next =
        given()
            .get("/estimates?text={text}&limit=2", text)
            .then()
            .body("estimates.jobs", is(List.of(text, text)))
            .body("estimates.of", is(List.of("HOST", "HOST")))
            .body("estimates.from", is(List.of("EQUAL_JOBS", "LIKE_JOBS")))
            .extract()
            .path("next");
    given()
        .queryParam("text", text)
        .queryParam("after", next)
        .get("/estimates")
        .then()
        .body("estimates.of", is(List.of("GPU")));
    given().get("/estimates?of=disk").then().statusCode(400).body("field", is("of"));
    given().get("/estimates?from=x").then().statusCode(400).body("field", is("from"));
    given().get("/estimates?limit=0").then().statusCode(400).body("field", is("limit"));
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
    database.transaction(session -> new MemoryTable(session).fold()).await().atMost(SOON);
  }

  private void forget(long before) {
    database.transaction(session -> new MemoryTable(session).forget(before)).await().atMost(SOON);
  }

  private Map<String, Peaks> known() {
    return database
        .read(session -> new MemoryTable(session).peaks(List.of(key)))
        .await()
        .atMost(SOON);
  }
}
