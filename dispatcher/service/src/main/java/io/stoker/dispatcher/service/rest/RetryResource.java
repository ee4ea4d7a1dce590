package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.RequestId;
import io.stoker.common.request.RetryId;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.RequestTable;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Posts again what did not succeed. */
@RolesAllowed(Rights.READ)
@Path("/requests/{id}/retry")
@Produces(MediaType.APPLICATION_JSON)
public class RetryResource {
  private final Outbox outbox;
  private final Rights rights;
  private final StatusReader statuses;
  private final Reads reads;

  RetryResource(Outbox outbox, StatusReader statuses, Reads reads, Rights rights) {
    this.rights = rights;
    this.outbox = outbox;
    this.statuses = statuses;
    this.reads = reads;
  }

  /**
   * A retry.
   *
   * @param as the new id; absent: one is made
   */
  public record RetryAsked(@Schema(pattern = "^[A-Za-z0-9._:-]{1,128}$") String as) {}

  /**
   * What a retry is answered with.
   *
   * @param id of the new request
   * @param retryOf the request that is tried again
   */
  public record Retried(String id, String retryOf) {}

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Operation(
      summary = "Post a request that did not succeed again, with the dependencies it failed of")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = RetryAsked.class)))
  @APIResponse(
      responseCode = "202",
      description = "it will be, under this new id",
      content = @Content(schema = @Schema(implementation = Retried.class)))
  @APIResponse(responseCode = "404", description = "no such request")
  @APIResponse(responseCode = "409", description = "it has not ended, or has succeeded")
  public Uni<Response> retry(@PathParam("id") String id, byte[] body) {
    RetryAsked asked = Bodies.read(body, RetryAsked.class, new RetryAsked(null));
    String message = UUID.randomUUID().toString();
    if (asked.as() != null && !RequestId.isValid(asked.as())) {
      throw ApiException.badRequest("as", asked.as(), RequestId.EXPECTED);
    }
    String as = asked.as() == null ? RetryId.of(id, message) : asked.as();
    Caller caller = rights.caller();
    return statuses
        .accepted(id)
        .call(() -> rights.change(caller, id))
        .invoke(
            ApiException.unless(
                state -> state.terminal() && state != RequestState.SUCCEEDED,
                "one that ended otherwise than SUCCEEDED"))
        .chain(() -> asked.as() == null ? Uni.createFrom().voidItem() : refuseTaken(as))
        .chain(() -> outbox.tell(caller, id, new ControlMessage.Retry(message, id, as)))
        .map(done -> Response.accepted(new Retried(as, id)).build());
  }

  private Uni<Void> refuseTaken(String as) {
    return reads
        .ask(session -> new RequestTable(session).specs(List.of(as)))
        .invoke(
            taken -> {
              if (!taken.isEmpty()) {
                throw ApiException.taken(as);
              }
            })
        .replaceWithVoid();
  }
}
