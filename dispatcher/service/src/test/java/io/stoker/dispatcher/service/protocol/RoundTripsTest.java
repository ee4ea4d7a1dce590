package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How often the dispatcher waits for Postgres on the way of jobs that are alone. */
@QuarkusTest
@OnRealServices
class RoundTripsTest extends WithHandAgent {
  private static final int JOBS = 10;

  @Inject MeterRegistry meters;

  @Test
  void anIdleJob_takesTwoRoundTripsIntoTheLineAndTwoToItsEnd() {
    run(Site.unique("first"));
    double intake = of("intake");
    double events = of("events");

    for (int i = 0; i < JOBS; i++) {
      run(Site.unique("counted"));
    }

    assertThat(of("intake") - intake).as("of intake").isEqualTo(2 * JOBS);
    assertThat(of("events") - events).as("of one event a job, its end").isEqualTo(2 * JOBS);
  }

  private void run(String id) {
    site.post(aRequest(id).meaning(id).resource("require", Map.of("only", host)));
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
}
