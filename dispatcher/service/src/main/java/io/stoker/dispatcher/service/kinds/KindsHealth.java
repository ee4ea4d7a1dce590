package io.stoker.dispatcher.service.kinds;

import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.postgres.Database;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.Readiness;

/** Shows which generation of the configuration is in force. It makes nobody unready. */
@Readiness
@ApplicationScoped
public class KindsHealth implements AsyncHealthCheck {
  private static final Duration PATIENCE = Duration.ofMillis(500);

  private final KindsBook book;
  private final Database database;

  KindsHealth(KindsBook book, Database database) {
    this.book = book;
    this.database = database;
  }

  @Override
  public Uni<HealthCheckResponse> call() {
    return database
        .readOnce(book::newest)
        .ifNoItem()
        .after(PATIENCE)
        .recoverWithItem(book::current)
        .onFailure()
        .recoverWithItem(book::current)
        .map(
            kinds ->
                HealthCheckResponse.named("configuration")
                    .up()
                    .withData("generation", kinds.generation())
                    .withData("kinds", kinds.byName().size())
                    .build());
  }
}
