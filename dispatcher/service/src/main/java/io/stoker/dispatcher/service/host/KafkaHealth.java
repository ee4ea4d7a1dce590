package io.stoker.dispatcher.service.host;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** A replica that Kafka does not let in is not ready, and says why. */
@Readiness
@ApplicationScoped
public class KafkaHealth implements HealthCheck {
  private final HeartbeatReader heartbeats;

  KafkaHealth(HeartbeatReader heartbeats) {
    this.heartbeats = heartbeats;
  }

  @Override
  public HealthCheckResponse call() {
    String trouble = heartbeats.trouble();
    HealthCheckResponseBuilder response =
        HealthCheckResponse.named("kafka").status(trouble.isEmpty());
    if (!trouble.isEmpty()) {
      response.withData("problem", trouble);
    }
    return response.build();
  }
}
