package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which transactions are done again: the errors are real ones, as the driver brings them. */
@QuarkusTest
@OnRealServices
class DatabaseTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Inject Database database;
  @Inject SchemaWatch schema;

  @ConfigProperty(name = "stoker.postgres.url")
  String url;

  @ConfigProperty(name = "stoker.postgres.user")
  String user;

  @ConfigProperty(name = "stoker.postgres.password")
  String password;

  private final AtomicInteger tries = new AtomicInteger();

  @ParameterizedTest
  @CsvSource({
    "select cast('x' as int), 22P02",
    "select 1 / 0, 22012",
  })
  void whatWouldAlwaysFailFailsAtOnce(String sql, String state) {
    assertThatThrownBy(() -> run(session -> query(session, sql)))
        .satisfies(error -> assertThat(Fault.sentence(error)).contains(state));
    assertThat(tries).hasValue(1);
  }

  @Test
  void aStatementThatNoReadyDatabaseTakes_failsAfterAFewTries() {
    assertThatThrownBy(() -> run(session -> query(session, "select * from nothing_of_that_name")))
        .satisfies(error -> assertThat(Fault.sentence(error)).contains("42P01"));
    assertThat(tries).hasValue(4);
  }

  @Test
  void whoReads_getsNoStatementOfMoreThanASecond_andWorkDoes() {
    String slow = "select count(*) from pg_sleep(3)";
    assertThatThrownBy(
            () -> database.readAside(session -> query(session, slow)).await().atMost(PATIENCE))
        .satisfies(error -> assertThat(Fault.sentence(error)).contains("57014"));
    assertThat(database.readOnce(session -> query(session, slow)).await().atMost(PATIENCE))
        .isNotNull();
  }

  /** As when a table is put aside for a while, or the schema is not there yet. */
  @Test
  void whileATableIsAway_transactionsWait() throws Exception {
    change("alter table usage_entry rename to usage_entry_away");
    CompletableFuture<Object> done = new CompletableFuture<>();
    try {
      database
          .transaction(
              session -> {
                tries.incrementAndGet();
                return query(session, "select count(*) from usage_entry");
              })
          .subscribe()
          .with(done::complete, done::completeExceptionally);
      await().atMost(PATIENCE).until(() -> schema.problem().isPresent());
      assertThat(schema.problem().orElseThrow()).contains("usage_entry");
    } finally {
      change("alter table usage_entry_away rename to usage_entry");
    }
    assertThat(done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isNotNull();
    await().atMost(PATIENCE).until(() -> schema.problem().isEmpty());
  }

  /** The check sees what statements need beyond tables, too. */
  @Test
  void whileAColumnIsAway_transactionsWait() throws Exception {
    await().atMost(PATIENCE).until(() -> schema.version().isPresent());
    change("alter table usage_entry rename column queue to q");
    CompletableFuture<Object> done = new CompletableFuture<>();
    try {
      database
          .transaction(session -> query(session, "select max(queue) from usage_entry"))
          .subscribe()
          .with(value -> done.complete("done"), done::completeExceptionally);
      await().atMost(PATIENCE).until(() -> schema.problem().isPresent());
    } finally {
      change("alter table usage_entry rename column q to queue");
      // Else what the next test does waits, too, until it is looked at again.
      await().atMost(PATIENCE).until(() -> schema.problem().isEmpty());
    }
    assertThat(done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("done");
  }

  private void change(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection("jdbc:" + url, user, password);
        java.sql.Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aTextThatPostgresCannotHoldFailsAtOnce() {
    assertThatThrownBy(
            () ->
                run(
                    session ->
                        session
                            .createNativeQuery("select cast(:text as text)", Object.class)
                            .setParameter("text", "NUL \0")
                            .getSingleResult()))
        .isInstanceOf(RuntimeException.class);
    assertThat(tries).hasValue(1);
  }

  @Test
  void aViolatedConstraintMayBeTheDoingOfOthersAndIsTriedAFewTimes() {
    assertThatThrownBy(() -> run(this::insertNothing))
        .satisfies(error -> assertThat(Fault.sentence(error)).contains("23502"));
    assertThat(tries).hasValue(6);
    tries.set(0);
    assertThat(
            run(
                session ->
                    tries.get() < 3 ? insertNothing(session) : query(session, "select 'done'")))
        .isEqualTo("done");
  }

  @Test
  void aTransactionThatPostgresAbortsIsTriedUntilItCommits() {
    String abort =
        "do $$ begin raise exception 'deadlock' using errcode = 'deadlock_detected'; end $$";
    assertThat(
            run(
                session ->
                    tries.get() < 8
                        ? session.createNativeQuery(abort).executeUpdate().map(Object.class::cast)
                        : query(session, "select 'done'")))
        .isEqualTo("done");
  }

  private Uni<Object> insertNothing(StatelessSession session) {
    return session
        .createNativeQuery("insert into request (id) values (null)")
        .executeUpdate()
        .map(Object.class::cast);
  }

  private static Uni<Object> query(StatelessSession session, String sql) {
    return session.createNativeQuery(sql, Object.class).getSingleResult();
  }

  private Object run(Function<StatelessSession, Uni<Object>> work) {
    return database
        .transaction(
            session -> {
              tries.incrementAndGet();
              return work.apply(session);
            })
        .await()
        .atMost(PATIENCE);
  }
}
