package io.stoker.dispatcher.service.rest;

import io.quarkus.runtime.StartupEvent;
import io.stoker.dispatcher.runtime.Fault;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.StatusQueries;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;
import org.jboss.logging.Logger;

/**
 * Asks for a status that nobody has, once, at the start: the first question is translated and takes
 * seconds on a busy machine, for which somebody would wait in vain. Until then this replica is not
 * ready. This check makes nobody unready for a database that is away.
 */
@Readiness
@ApplicationScoped
public class ReadsHealth implements HealthCheck {
  private static final Logger LOG = Logger.getLogger(ReadsHealth.class);

  private final Database database;
  private volatile boolean asked;

  ReadsHealth(Database database) {
    this.database = database;
  }

  void start(@Observes StartupEvent event) {
    database
        .readOnce(StatusQueries::rehearse)
        .subscribe()
        .with(
            done -> asked = true,
            failure -> {
              LOG.debugf("the first question failed: %s", Fault.sentence(failure));
              asked = true;
            });
  }

  @Override
  public HealthCheckResponse call() {
    return HealthCheckResponse.named("reads").status(asked).build();
  }
}
