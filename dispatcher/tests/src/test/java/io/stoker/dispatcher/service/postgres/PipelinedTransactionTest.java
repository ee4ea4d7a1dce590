package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.runtime.Faults;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** BEGIN with the first statements and COMMIT with the last ones, on a real database. */
@QuarkusTest
@OnRealServices
class PipelinedTransactionTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Inject Database database;
  @Inject MeterRegistry meters;

  private final String key = "pipelined " + UUID.randomUUID();

  /** A table that the dispatcher does not know: it tidies up its own ones meanwhile. */
  @BeforeEach
  void createTable() {
    define("create table pipelined (key text)");
  }

  @AfterEach
  void dropTable() {
    define("drop table pipelined");
  }

  @Test
  void beginAndCommit_goWithTheStatements() {
    assertThat(roundTrips(session -> Queries.last(session, add(session)))).isEqualTo(1);
    assertThat(added()).isEqualTo(1);
  }

  @Test
  void aTransactionThatReadsAndThenWrites_takesTwoRoundTrips() {
    assertThat(
            roundTrips(
                session ->
                    Uni.combine()
                        .all()
                        .unis(count(session), count(session))
                        .asTuple()
                        .chain(() -> Queries.last(session, add(session)))))
        .isEqualTo(2);
    assertThat(added()).isEqualTo(1);
  }

  @Test
  void withoutALastStatement_theCommitHasARoundTripOfItsOwn() {
    assertThat(roundTrips(this::add)).isEqualTo(2);
    assertThat(added()).isEqualTo(1);
  }

  @Test
  void aLastStatementThatFails_commitsNothing() {
    assertThatThrownBy(
            () ->
                run(
                    session ->
                        add(session)
                            .chain(
                                () ->
                                    Queries.last(
                                        session,
                                        Uni.combine()
                                            .all()
                                            .unis(add(session), fail(session))
                                            .discardItems()))))
        .hasMessageContaining("22012");
    assertThat(added()).isZero();
  }

  @Test
  void aFailureThatTheWorkMakesNothingOf_isOneAllTheSame() {
    assertThatThrownBy(
            () ->
                run(
                    session ->
                        add(session)
                            .chain(() -> fail(session).onFailure().recoverWithItem(0))
                            .replaceWithVoid()))
        .hasMessageContaining("22012");
    assertThat(added()).isZero();
  }

  @Test
  void whatFailsBeforeItIsSent_commitsNothingOfTheTransaction() {
    assertThatThrownBy(
            () ->
                run(
                    session ->
                        add(session)
                            .chain(
                                () ->
                                    Queries.last(
                                        session,
                                        Uni.createFrom()
                                            .failure(new IllegalStateException("too weak"))))))
        .hasMessageContaining("too weak");
    assertThat(added()).isZero();
  }

  @Test
  void aStatementBehindTheCommit_isRefused() {
    assertThatThrownBy(
            () -> run(session -> Queries.last(session, add(session)).chain(() -> add(session))))
        .hasMessageContaining("follows the COMMIT");
    assertThat(added()).as("what was sent before it").isEqualTo(1);
  }

  @Test
  void aConnectionIsFreeOfItsTransaction_howeverThatEnded() {
    for (int i = 0; i < 30; i++) {
      assertThatThrownBy(() -> run(session -> add(session).chain(() -> fail(session))))
          .hasMessageContaining("22012");
      run(this::add);
    }
    assertThat(added()).isEqualTo(30);
  }

  /** As after a fail-over to another server under the same address. */
  @Test
  void aConnectionToAServerThatDoesNotWrite_isLeft() {
    int lame =
        run(
            session ->
                Queries.execute(
                        session, "set session characteristics as transaction read only", Map.of())
                    .chain(
                        () ->
                            Queries.single(
                                session, "select pg_backend_pid()", Map.of(), Row::integer)));

    await()
        .atMost(PATIENCE)
        .ignoreExceptionsMatching(Faults::isReadOnly)
        .untilAsserted(
            () -> {
              run(this::add);
              assertThat(connected(lame)).isFalse();
            });
  }

  private boolean connected(int backend) {
    return database
        .readOnce(
            session ->
                Queries.single(
                    session,
                    "select exists (select from pg_stat_activity where pid = :pid)",
                    Map.of("pid", backend),
                    Row::flag))
        .await()
        .atMost(PATIENCE);
  }

  private void define(String sql) {
    database
        .once("schema", session -> Queries.execute(session, sql, Map.of()))
        .await()
        .atMost(PATIENCE);
  }

  private Uni<Integer> add(StatelessSession session) {
    return Queries.execute(
        session, "insert into pipelined (key) values (:key)", Map.of("key", key));
  }

  private Uni<Long> count(StatelessSession session) {
    return Queries.single(
        session,
        "select count(*) from pipelined where key = :key",
        Map.of("key", key),
        Row::bigint);
  }

  private static Uni<Integer> fail(StatelessSession session) {
    return Queries.single(session, "select 1 / 0", Map.of(), Row::integer);
  }

  private long added() {
    return database.readOnce(this::count).await().atMost(PATIENCE);
  }

  private <T> T run(Function<StatelessSession, Uni<T>> work) {
    return database.once(key, work).await().atMost(PATIENCE);
  }

  private <T> double roundTrips(Function<StatelessSession, Uni<T>> work) {
    run(work);
    DistributionSummary counted =
        meters.get("stoker.database.round.trips").tag("transaction", key).summary();
    return counted.max();
  }
}
