package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.placement.FleetMemory;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** How often the dispatcher waits for Postgres on the way of jobs that are alone. */
@QuarkusTest
@OnRealServices
class RoundTripsTest extends WithHandAgent {
  private static final int JOBS = 10;

  @Inject MeterRegistry meters;
  @Inject FleetMemory fleet;

  @Test
  void anIdleJob_takesTwoRoundTripsToItsHostAndOneToItsEnd() throws Exception {
    emptyLine();
    run(Site.unique("first"));
    double placed = placedAtOnce();
    List<Double> intake = new ArrayList<>();
    List<Double> events = new ArrayList<>();

    for (int i = 0; i < JOBS; i++) {
      emptyLine();
      awaitNoPass();
      double taken = of("intake");
      double told = of("events");
      run(Site.unique("counted"));
      intake.add(of("intake") - taken);
      events.add(of("events") - told);
    }

    // A transaction that another one is in the way of is run again, now and then.
    assertThat(median(intake)).as("of intake, which places: %s", intake).isEqualTo(2);
    assertThat(median(events)).as("of one event a job, its end: %s", events).isEqualTo(1);
    assertThat(placedAtOnce() - placed)
        .as("but for those that came just when a sweep began a pass")
        .isGreaterThan(JOBS / 2.0);
  }

  @Test
  void anEndBehindWhichJobsWait_givesThemItsRoom() throws Exception {
    emptyLine();
    List<ToAgent.Place> running = new ArrayList<>();
    for (int i = 0; i < HandAgent.SLOTS; i++) {
      String id = Site.unique("runs");
      post(id);
      running.add(agent.awaitPlace(id, 1));
    }
    List<String> waiting = Stream.generate(() -> Site.unique("waits")).limit(JOBS).toList();
    for (String id : waiting) {
      post(id);
      site.statuses().await(id, RequestState.QUEUED);
    }
    double placed = placedAtOnce();

    for (String id : waiting) {
      awaitNoPass();
      agent.succeed(running.removeFirst());
      running.add(agent.awaitPlace(id, 1));
    }

    assertThat(placedAtOnce() - placed)
        .as("but for those that ended just when a sweep began a pass")
        .isGreaterThan(JOBS / 2.0);
    running.forEach(agent::succeed);
  }

  /**
   * Takes out what other tests have left in line, and what has come back to it since, as retries
   * do.
   */
  private void emptyLine() throws SQLException {
    try (Connection database = site.database()) {
      Site.update(database, "delete from ready");
    }
  }

  /** What comes during a pass is left to the next one, however long it takes. */
  private void awaitNoPass() {
    await().atMost(TopicLog.PATIENCE).until(() -> fleet.epoch().isPresent());
  }

  private static double median(List<Double> all) {
    return all.stream().sorted().toList().get(all.size() / 2);
  }

  private void post(String id) {
    site.post(aRequest(id).meaning(id).resource("require", Map.of("only", host)));
  }

  private void run(String id) {
    post(id);
    ToAgent.Place place = agent.awaitPlace(id, 1);
    agent.succeed(place);
    site.statuses().await(id, RequestState.SUCCEEDED);
  }

  private double of(String transaction) {
    return meters
        .get("stoker.database.round.trips")
        .tag("transaction", transaction)
        .summary()
        .totalAmount();
  }

  private double placedAtOnce() {
    return meters.get("stoker.placement.immediate").counter().count();
  }
}
