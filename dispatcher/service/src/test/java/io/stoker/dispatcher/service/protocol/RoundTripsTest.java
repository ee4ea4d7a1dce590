package io.stoker.dispatcher.service.protocol;

import static io.stoker.dispatcher.scenario.ARequest.aRequest;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.test.junit.QuarkusTest;
import io.stoker.common.message.ToAgent;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.testing.OnRealServices;
import jakarta.inject.Inject;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How often the dispatcher waits for Postgres on the way of one job that is alone. */
@QuarkusTest
@OnRealServices
class RoundTripsTest extends WithHandAgent {
  @Inject MeterRegistry meters;

  @Test
  void anIdleJob_takesFewRoundTrips() {
    run(Site.unique("first"));
    Counts before = counts();

    run(Site.unique("counted"));

    Counts after = counts();
    assertThat(after.intake() - before.intake()).as("intake").isEqualTo(2);
    assertThat(after.events() - before.events()).as("one event: its end").isEqualTo(2);
    assertThat(after.mostOfAPass()).as("of a pass that places").isLessThanOrEqualTo(4);
  }

  private void run(String id) {
    site.post(aRequest(id).resource("require", Map.of("only", host)));
    ToAgent.Place place = agent.awaitPlace(id, 1);
    agent.succeed(place);
    site.statuses().await(id, RequestState.SUCCEEDED);
  }

  private record Counts(double intake, double events, double mostOfAPass) {}

  private Counts counts() {
    return new Counts(of("intake").totalAmount(), of("events").totalAmount(), of("pass").max());
  }

  private DistributionSummary of(String transaction) {
    return meters.get("stoker.database.round.trips").tag("transaction", transaction).summary();
  }
}
