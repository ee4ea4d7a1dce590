package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.dispatcher.service.access.Caller;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Drops results by the requests that mean them. */
@RolesAllowed(Rights.READ)
@Path("/requests/{id}/forget")
@Produces(MediaType.APPLICATION_JSON)
public class ForgetResource {
  private final Outbox outbox;
  private final Rights rights;
  private final StatusReader statuses;

  ForgetResource(Outbox outbox, StatusReader statuses, Rights rights) {
    this.rights = rights;
    this.outbox = outbox;
    this.statuses = statuses;
  }

  /** What a forget is answered with. */
  public record Forgotten(String id) {}

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Operation(summary = "Drop the remembered result of what a request means: the next equal runs")
  @APIResponse(
      responseCode = "202",
      description = "it is being dropped",
      content = @Content(schema = @Schema(implementation = Forgotten.class)))
  @APIResponse(responseCode = "404", description = "no such request")
  public Uni<Response> forget(@PathParam("id") String id) {
    String message = UUID.randomUUID().toString();
    Caller caller = rights.caller();
    return statuses
        .accepted(id)
        .call(() -> rights.change(caller, id))
        .chain(() -> outbox.tell(caller, id, new ControlMessage.Forget(message, id, null)))
        .map(done -> Response.accepted(new Forgotten(id)).build());
  }
}
