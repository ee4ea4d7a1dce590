package io.stoker.dispatcher.api;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns whatever goes wrong into a status and a sentence; traces stay in the log. */
final class Errors {
  private static final Logger LOG = Logger.getLogger(Errors.class);

  @ServerExceptionMapper
  Response answer(ApiException error) {
    return json(error.status(), error.error());
  }

  @ServerExceptionMapper
  Response answer(WebApplicationException error) {
    int status = error.getResponse().getStatus();
    String reason = error.getResponse().getStatusInfo().getReasonPhrase();
    return json(status, new ApiError(null, null, null, reason));
  }

  @ServerExceptionMapper
  Response answer(Throwable error) {
    String number = UUID.randomUUID().toString();
    LOG.errorf(error, "a call failed unexpectedly, error %s", number);
    String message = "unexpected error " + number + "; the dispatcher's log says more";
    return json(500, new ApiError(null, null, null, message));
  }

  private static Response json(int status, ApiError error) {
    return Response.status(status).type(MediaType.APPLICATION_JSON).entity(error).build();
  }
}
