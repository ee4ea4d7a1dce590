package io.stoker.dispatcher.service.oidc;

import io.smallrye.health.api.AsyncHealthCheck;
import io.smallrye.health.api.Wellness;
import io.smallrye.mutiny.Uni;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Optional;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;

/**
 * Asks the issuer of logins whether it is of use, for people who look. It is up in any case: a
 * dispatcher without its issuer does all else, and probes are not to end it for that.
 */
@Wellness
@ApplicationScoped
class IssuerHealth implements AsyncHealthCheck {
  private final OidcSettings settings;
  private final Issuer issuer;

  IssuerHealth(OidcSettings settings, Issuer issuer) {
    this.settings = settings;
    this.issuer = issuer;
  }

  @Override
  public Uni<HealthCheckResponse> call() {
    return settings.present()
        ? Uni.createFrom()
            .completionStage(() -> issuer.trouble().toCompletionStage())
            .map(this::response)
        : Uni.createFrom().item(named().build());
  }

  private HealthCheckResponse response(Optional<String> trouble) {
    HealthCheckResponseBuilder response = named().withData("issuer", settings.issuer());
    trouble.ifPresent(why -> response.withData("problem", why));
    return response.build();
  }

  private static HealthCheckResponseBuilder named() {
    return HealthCheckResponse.named("logins").up();
  }
}
