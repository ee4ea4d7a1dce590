package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quarkus.test.junit.QuarkusTest;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.TimerRow;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;
import org.junit.jupiter.api.Test;

/**
 * What few rows are wanted of is not read as a whole, however many rows it has. Told by what the
 * database has counted, in transactions of which nothing is left.
 */
@QuarkusTest
@OnRealServices
class IndexUseTest {
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final int ROWS = 20_000;

  /** Later than all that is due, ms since 1970. */
  private static final long LATE = 1_000_000_000_000_000L;

  /** What a statement may read beside what it wants, of other tests' rows. */
  private static final long FEW = ROWS / 10;

  private static final String TIMERS =
      "insert into timer select 0, 'late-' || i, " + LATE + " + i from " + rows();
  private static final String BACKOFFS =
      "insert into backoff select 'late-' || i, " + LATE + " + i, 'APP' from " + rows();
  private static final String CONTROLS =
      "insert into control_done select 'new-' || i, " + LATE + " from " + rows();
  private static final String REQUESTS =
      "insert into request (id, seq, version, spec) select 'old-' || i, i, 1, '{}' from " + rows();

  @Inject Database database;

  private static final class Rollback extends IllegalStateException {
    private static final long serialVersionUID = 1;
  }

  private static String rows() {
    return "generate_series(1, " + ROWS + ") i";
  }

  /** Rows of a table that are read by some work, once the table is full. */
  private long read(String table, String fill, Function<StatelessSession, Uni<?>> work) {
    AtomicLong read = new AtomicLong();
    assertThatThrownBy(
            () ->
                database
                    .once(
                        session ->
                            Queries.execute(session, fill, Map.of())
                                .chain(() -> Queries.execute(session, "analyze " + table, Map.of()))
                                .chain(() -> setting(session))
                                .chain(() -> RowsRead.of(session, table))
                                .invoke(before -> read.set(-before))
                                .chain(() -> work.apply(session))
                                .chain(() -> RowsRead.of(session, table))
                                .invoke(read::addAndGet)
                                .chain(() -> Uni.createFrom().<Void>failure(new Rollback())))
                    .await()
                    .atMost(SOON))
        .isInstanceOf(Rollback.class);
    return read.get();
  }

  private static Uni<Integer> setting(StatelessSession session) {
    return Queries.execute(session, "set local plan_cache_mode = force_generic_plan", Map.of());
  }

  @Test
  void timersThatHaveNotRunOutAreNotRead() {
    TimerRow.Key one = new TimerRow.Key(TimerRow.Kind.values()[0], "late-1");

    assertThat(read("timer", TIMERS, session -> new TimerTable(session).due(500, List.of())))
        .isLessThan(FEW);
    assertThat(read("timer", TIMERS, session -> new TimerTable(session).stillDue(List.of(one))))
        .isLessThan(FEW);
  }

  @Test
  void timersOfRequestsThatAreDroppedAreFoundByTheirKey() {
    assertThat(
            read(
                "timer",
                TIMERS,
                session -> new RetentionTable(session).delete(List.of("late-1", "late-2"))))
        .isLessThan(FEW);
  }

  @Test
  void waitsThatAreNotOverAreNotRead() {
    assertThat(
            read(
                "backoff",
                BACKOFFS,
                session -> new BackoffTable(session).due(1, 2 * LATE, 500, Set.of())))
        .isLessThan(FEW);
  }

  @Test
  void controlMessagesAreNotReadForEachOther() {
    assertThat(
            read("control_done", CONTROLS, session -> new ControlTable(session).first("another")))
        .isLessThan(FEW);
  }

  @Test
  void requestsOfBeforeAreNotReadForThoseOfAnHour() {
    assertThat(read("request", REQUESTS, PoolLatencies::of)).isLessThan(FEW);
  }

  @Test
  void requestsOfBeforeAreNotReadWhereTheClockIsTakenBack() {
    assertThat(read("request", REQUESTS, session -> new ClockTable(session).correct(-1)))
        .isLessThan(FEW);
  }
}
