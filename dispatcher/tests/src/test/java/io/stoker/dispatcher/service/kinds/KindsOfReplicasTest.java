package io.stoker.dispatcher.service.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.KindTable;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What replicas with different files agree on. */
@QuarkusTest
@OnRealServices
class KindsOfReplicasTest {
  private static final Duration SOON = Duration.ofSeconds(60);

  @Inject Database database;
  @Inject KindsBook book;

  private final String one = file("one");
  private final String other = file("other");

  /**
   * The file that the other tests find. Before each, too: a dispatcher that is just starting may
   * not have offered it yet, and would put it in force amid a test.
   */
  @BeforeEach
  @AfterEach
  void putTheFileBack() {
    assertThat(await(book.reload()).applied()).isTrue();
  }

  @Test
  void aFileThatWasLeftBehindPutsNothingBack() {
    long first = offer(one);
    long second = offer(other);

    assertThat(second).isGreaterThan(first);
    assertThat(offer(one)).isEqualTo(second);
    assertThat(inForce()).isEqualTo(other);
  }

  @Test
  void aReloadPutsAnOldFileInForceOnPurposeAndTheSameAgainChangesNothing() {
    offer(one);
    long second = offer(other);

    long third = await(database.transaction(session -> KindTable.replace(session, one)));

    assertThat(third).isEqualTo(second + 1);
    long again = await(database.transaction(session -> KindTable.replace(session, one)));
    assertThat(again).isEqualTo(third);
    assertThat(offer(one)).isEqualTo(third);
    assertThat(inForce()).isEqualTo(one);
  }

  @Test
  void whatAnotherReplicaPutInForceIsUsedAtOnce() {
    long generation = offer(one);

    Kinds kinds = await(book.newest());

    assertThat(kinds.generation()).isEqualTo(generation);
    assertThat(kinds.byName()).containsOnlyKeys("one");
  }

  @Test
  void twoThatStartTogetherAgree() {
    long[] generations =
        await(
            Uni.combine()
                .all()
                .unis(
                    database.transaction(session -> KindTable.offer(session, one)),
                    database.transaction(session -> KindTable.offer(session, one)))
                .with((a, b) -> new long[] {a, b}));

    assertThat(generations[0]).isEqualTo(generations[1]);
  }

  private long offer(String text) {
    return await(database.transaction(session -> KindTable.offer(session, text)));
  }

  private String inForce() {
    return await(database.read(KindTable::read)).orElseThrow().definition();
  }

  private static <T> T await(Uni<T> asked) {
    return asked.await().atMost(SOON);
  }

  private static String file(String kind) {
    return "# %s%nkinds: {%s: {command: [x]}}%n".formatted(UUID.randomUUID(), kind);
  }
}
