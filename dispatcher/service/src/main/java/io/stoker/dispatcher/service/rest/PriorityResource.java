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
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Moves requests in their lines. */
@RolesAllowed(Rights.READ)
@Path("/requests/{id}/priority")
@Produces(MediaType.APPLICATION_JSON)
public class PriorityResource {
  /** So far from 0 at most. */
  private static final int MOST = 1000;

  private final Outbox outbox;
  private final Rights rights;
  private final StatusReader statuses;

  PriorityResource(Outbox outbox, StatusReader statuses, Rights rights) {
    this.rights = rights;
    this.outbox = outbox;
    this.statuses = statuses;
  }

  /** Another priority, −1000 to 1000. */
  public record PriorityAsked(
      @Schema(required = true, minimum = "-1000", maximum = "1000") Integer priority) {}

  /** What a change is answered with. */
  public record Prioritised(String id) {}

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Operation(summary = "Give a request that has not ended another priority")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = PriorityAsked.class)))
  @APIResponse(
      responseCode = "202",
      description = "it is being moved",
      content = @Content(schema = @Schema(implementation = Prioritised.class)))
  @APIResponse(responseCode = "404", description = "no such request")
  @APIResponse(responseCode = "409", description = "it has ended")
  public Uni<Response> priority(@PathParam("id") String id, byte[] body) {
    Integer priority = Bodies.read(body, PriorityAsked.class, new PriorityAsked(null)).priority();
    check(priority, String.valueOf(priority));
    String message = UUID.randomUUID().toString();
    Caller caller = rights.caller();
    return statuses
        .accepted(id)
        .call(() -> rights.change(caller, id))
        .invoke(ApiException.unless(state -> !state.terminal(), "one that has not ended"))
        .chain(() -> outbox.tell(caller, id, new ControlMessage.Priority(message, id, priority)))
        .map(done -> Response.accepted(new Prioritised(id)).build());
  }

  /**
   * Refuses what is no priority.
   *
   * @param priority null of what is no number
   * @param said as it was given
   * @throws ApiException 400
   */
  public static void check(Integer priority, String said) {
    if (priority == null || Math.abs((long) priority) > MOST) {
      throw ApiException.badRequest("priority", said, "an integer from -1000 to 1000");
    }
  }
}
