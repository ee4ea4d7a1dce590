package io.stoker.dispatcher.service.rest;

import io.quarkus.security.ForbiddenException;
import io.quarkus.security.UnauthorizedException;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.access.Login;
import io.stoker.dispatcher.service.access.SessionCookie;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import java.util.Optional;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns whatever goes wrong into a status and a sentence; traces stay in the log. */
final class Errors {
  private static final Logger LOG = Logger.getLogger(Errors.class);

  private final CurrentVertxRequest current;
  private final Rights rights;

  Errors(CurrentVertxRequest current, Rights rights) {
    this.current = current;
    this.rights = rights;
  }

  @ServerExceptionMapper
  Response answer(ApiException error) {
    return told(error.error()).build();
  }

  @ServerExceptionMapper
  Response answer(UnauthorizedException error) {
    Optional<Login> refused = BearerLogin.refusal(current.getCurrent());
    ApiException trouble =
        BearerLogin.stranger(current.getCurrent())
            .map(ApiException::stranger)
            .or(() -> refused.map(ApiException::refusal))
            .orElseGet(ApiException::login);
    ResponseBuilder answer = told(trouble.error());
    if (refused.isPresent() && refused.get() instanceof Login.NotAllowed) {
      // A browser that keeps a login by which nothing is allowed would never be asked for another.
      SessionCookie.forget(current.getCurrent().request());
    }
    if (refused.isPresent() && refused.get() instanceof Login.Blocked blocked) {
      answer.header(HttpHeaders.RETRY_AFTER, blocked.seconds());
    }
    if (trouble.error().status() == Response.Status.UNAUTHORIZED.getStatusCode()) {
      answer.header(HttpHeaders.WWW_AUTHENTICATE, BearerLogin.SCHEME);
    }
    return answer.build();
  }

  @ServerExceptionMapper
  Response answer(ForbiddenException error) {
    Caller caller = rights.caller();
    return told(ApiException.role(caller.name().orElse(""), caller.role().key()).error()).build();
  }

  @ServerExceptionMapper
  Response answer(WebApplicationException error) {
    return told(Problem.blank(error.getResponse().getStatusInfo())).build();
  }

  @ServerExceptionMapper
  Response answer(Throwable error) {
    String number = UUID.randomUUID().toString();
    LOG.errorf(error, "a call failed unexpectedly, error %s", number);
    String message = "unexpected error " + number + "; the dispatcher's log says more";
    return told(Problem.UNEXPECTED.error(null, null, null, message)).build();
  }

  private static ResponseBuilder told(ApiError error) {
    return Response.status(error.status()).type(ApiError.MEDIA_TYPE).entity(error);
  }
}
