package io.stoker.dispatcher.service.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.quarkus.test.junit.QuarkusTest;
import io.stoker.dispatcher.fairshare.Decay;
import io.stoker.dispatcher.fairshare.DeviceTime;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.model.UsageRow;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What SQL folds is what {@link Decay} says, whoever folds, and as often as it happens. */
@QuarkusTest
@OnRealServices
class UsageTableTest {
  private static final long HOUR = 3_600_000;
  private static final Duration SOON = Duration.ofSeconds(60);

  @Inject Database database;
  @Inject Decay decay;
  private final String queue = "fold-" + UUID.randomUUID();

  @Test
  void whatIsAddedIsFoldedOnce() {
    long now = now();
    double taken = 6.0 * HOUR;
    add(new UsageRow(queue, taken, 10 * taken, 2.0 * HOUR, now - HOUR));
    fold();
    add(new UsageRow(queue, taken, 0, 1000, now - 3 * HOUR));
    add(new UsageRow(queue, taken, 0, 0, now));
    fold();
    fold();

    double first = decay.left(decay.leftOfRun(taken, 2.0 * HOUR), HOUR);
    DeviceTime left = left();
    assertThat(left.gpuMs())
        .isCloseTo(first + decay.left(taken, 3 * HOUR) + taken, withinPercentage(0.5));
    assertThat(left.slotMs()).isCloseTo(10 * first, withinPercentage(0.5));
  }

  /** To Postgres what is too near to 0 is an error. */
  @Test
  void whatIsUsedNoMoreIsForgottenInTheEnd() {
    long now = now();
    double half = decay.halfLifeMs();
    add(new UsageRow(queue, HOUR, HOUR, 0, now));
    fold();
    ago(3_000);
    add(new UsageRow(queue, HOUR, 0, 3_000 * half, now));
    add(new UsageRow(queue, HOUR, 0, 0, now - 3_000 * decay.halfLifeMs()));
    fold();
    assertThat(left().slotMs()).isZero();
    assertThat(left().gpuMs())
        .isCloseTo(decay.leftOfRun(HOUR, 3_000 * half), withinPercentage(0.5));

    database
        .transaction(
            session ->
                Queries.execute(
                    session,
                    "update queue_usage set slot_ms = 5e-324 where queue = :queue",
                    Map.of("queue", queue)))
        .await()
        .atMost(SOON);
    ago(3);
    add(new UsageRow(queue, HOUR, 0, 0, now));
    fold();
    assertThat(left().slotMs()).isZero();
  }

  @Test
  void whatWasFoldedByAClockFarAheadIsForgottenFromNowOn() {
    long now = now();
    add(new UsageRow(queue, HOUR, HOUR, 0, now));
    fold();
    ago(-10);
    add(new UsageRow(queue, HOUR, 0, 0, now));
    fold();
    assertThat(left().slotMs()).isCloseTo(HOUR, withinPercentage(0.5));

    ago(1);
    add(new UsageRow(queue, HOUR, 0, 0, now));
    fold();

    assertThat(left().slotMs()).isCloseTo(HOUR / 2.0, withinPercentage(0.5));
    assertThat(left().gpuMs()).isCloseTo(2.0 * HOUR, withinPercentage(0.5));
  }

  /** What was folded was so many half-lives earlier. */
  private void ago(long halves) {
    database
        .transaction(
            session ->
                Queries.execute(
                    session,
                    "update queue_usage set at = at - :by where queue = :queue",
                    Map.of("by", halves * decay.halfLifeMs(), "queue", queue)))
        .await()
        .atMost(SOON);
  }

  private long now() {
    return database.read(Database::now).await().atMost(SOON);
  }

  private void add(UsageRow row) {
    database
        .transaction(session -> Write.run(session, List.of(UsageTable.insert(List.of(row)))))
        .await()
        .atMost(SOON);
  }

  private void fold() {
    long now = now();
    database.transaction(session -> new UsageTable(session).fold(decay, now)).await().atMost(SOON);
  }

  private DeviceTime left() {
    return database.read(session -> new UsageTable(session).all()).await().atMost(SOON).stream()
        .filter(usage -> usage.queue().equals(queue))
        .map(Usage::time)
        .findFirst()
        .orElseThrow();
  }
}
