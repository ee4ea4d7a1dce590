package io.stoker.dispatcher.service.leader;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** A replica whose work hangs is not ready. */
@Readiness
@ApplicationScoped
public class FitnessHealth implements HealthCheck {
  private final Fitness fitness;

  FitnessHealth(Fitness fitness) {
    this.fitness = fitness;
  }

  @Override
  public HealthCheckResponse call() {
    List<String> troubles = fitness.troubles();
    HealthCheckResponseBuilder response =
        HealthCheckResponse.named("work").status(troubles.isEmpty());
    if (!troubles.isEmpty()) {
      response.withData("problem", String.join("; ", troubles));
    }
    return response.build();
  }
}
