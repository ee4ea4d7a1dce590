package io.stoker.dispatcher.service.rest;

import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.Response.ResponseBuilder;
import java.util.UUID;
import org.jboss.logging.Logger;
import org.jboss.resteasy.reactive.server.ServerExceptionMapper;

/** Turns whatever goes wrong into a status and a sentence; traces stay in the log. */
final class Errors {
  private static final Logger LOG = Logger.getLogger(Errors.class);

  @ServerExceptionMapper
  Response answer(ApiException error) {
    return told(error.error()).build();
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
