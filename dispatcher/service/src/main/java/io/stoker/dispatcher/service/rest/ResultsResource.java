package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.UUID;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Drops results by their fingerprints. */
@RolesAllowed(Rights.READ)
@Path("/results/{fingerprint}")
@Produces(MediaType.APPLICATION_JSON)
public class ResultsResource {
  private static final Pattern FINGERPRINT = Pattern.compile("[0-9a-f]{64}");

  private final Outbox outbox;
  private final Rights rights;
  private final Reads reads;

  ResultsResource(Outbox outbox, Reads reads, Rights rights) {
    this.rights = rights;
    this.outbox = outbox;
    this.reads = reads;
  }

  @Schema(name = "ForgottenResult")
  public record Forgotten(String fingerprint) {}

  @DELETE
  @RolesAllowed(Rights.OPERATE)
  @Operation(summary = "Drop a remembered result by its fingerprint")
  @APIResponse(
      responseCode = "202",
      description = "it is being dropped",
      content = @Content(schema = @Schema(implementation = Forgotten.class)))
  @APIResponse(responseCode = "404", description = "no result is remembered under it")
  public Uni<Response> forgetFingerprint(@PathParam("fingerprint") String fingerprint) {
    if (!FINGERPRINT.matcher(fingerprint).matches()) {
      throw ApiException.badRequest("fingerprint", fingerprint, "64 of 0-9 a-f");
    }
    Caller caller = rights.caller();
    String message = UUID.randomUUID().toString();
    return reads
        .ask(session -> ApiQueries.remembered(session, fingerprint))
        .invoke(
            remembered -> {
              if (!remembered) {
                throw ApiException.notRemembered(fingerprint);
              }
            })
        .chain(
            () ->
                outbox.tell(
                    caller, fingerprint, new ControlMessage.Forget(message, null, fingerprint)))
        .map(done -> Response.accepted(new Forgotten(fingerprint)).build());
  }
}
