package io.stoker.dispatcher.service.leader;

import io.stoker.dispatcher.coordinator.leader.LeaderElection;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Checks that the database is that of the fleet that this dispatcher is to schedule. */
@Readiness
@ApplicationScoped
public class FleetHealth implements HealthCheck {
  private final LeaderElection election;

  FleetHealth(LeaderElection election) {
    this.election = election;
  }

  @Override
  public HealthCheckResponse call() {
    Optional<String> other = election.otherFleet();
    return HealthCheckResponse.named("fleet")
        .status(other.isEmpty())
        .withData("fleet", election.fleet())
        .withData("database", other.orElse(election.fleet()))
        .build();
  }
}
