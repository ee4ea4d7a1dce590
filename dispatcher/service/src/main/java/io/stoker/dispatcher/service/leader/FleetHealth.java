package io.stoker.dispatcher.service.leader;

import io.stoker.dispatcher.coordinator.leader.Leadership;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Whether the database is that of the fleet that this dispatcher is to schedule. */
@Readiness
@ApplicationScoped
public class FleetHealth implements HealthCheck {
  private final Leadership leadership;

  FleetHealth(Leadership leadership) {
    this.leadership = leadership;
  }

  @Override
  public HealthCheckResponse call() {
    Optional<String> other = leadership.otherFleet();
    return HealthCheckResponse.named("fleet")
        .status(other.isEmpty())
        .withData("fleet", leadership.fleet())
        .withData("database", other.orElse(leadership.fleet()))
        .build();
  }
}
