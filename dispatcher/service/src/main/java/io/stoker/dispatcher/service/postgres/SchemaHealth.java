package io.stoker.dispatcher.service.postgres;

import jakarta.enterprise.context.ApplicationScoped;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/**
 * Shows the version of the database's schema. A replica whose statements it does not serve is not
 * ready; one whose database is away may be.
 */
@Readiness
@ApplicationScoped
public class SchemaHealth implements HealthCheck {
  static final String NAME = "schema";

  private final SchemaWatch schema;

  SchemaHealth(SchemaWatch schema) {
    this.schema = schema;
  }

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder response =
        HealthCheckResponse.named(NAME)
            .status(schema.problem().isEmpty())
            .withData("needed", schema.needed())
            .withData("version", schema.version().orElse("unknown"));
    schema.problem().ifPresent(problem -> response.withData("problem", problem));
    return response.build();
  }
}
