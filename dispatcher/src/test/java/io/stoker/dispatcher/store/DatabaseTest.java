package io.stoker.dispatcher.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
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

  private final AtomicInteger tries = new AtomicInteger();

  @ParameterizedTest
  @CsvSource({
    "select cast('x' as int), 22P02",
    "select 1 / 0, 22012",
    "select * from nothing_of_that_name, 42P01",
  })
  void whatWouldAlwaysFailFailsAtOnce(String sql, String state) {
    assertThatThrownBy(() -> run(session -> query(session, sql)))
        .satisfies(error -> assertThat(Fault.sentence(error)).contains(state));
    assertThat(tries).hasValue(1);
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
