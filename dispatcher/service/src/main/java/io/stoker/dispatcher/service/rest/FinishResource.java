package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.coordinator.control.RequestControl;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Takes what came of a job that a person ran. */
@RolesAllowed(Rights.READ)
@Path("/requests/{id}/result")
@Produces(MediaType.APPLICATION_JSON)
public class FinishResource {
  private final Reads reads;
  private final Outbox outbox;
  private final Rights rights;
  private final StatusReader statuses;

  FinishResource(Reads reads, Outbox outbox, StatusReader statuses, Rights rights) {
    this.rights = rights;
    this.reads = reads;
    this.outbox = outbox;
    this.statuses = statuses;
  }

  /**
   * What a person says of a job.
   *
   * @param result any JSON value
   * @param failed why it failed
   */
  public record Said(JsonNode result, String failed) {}

  /** What an answer is answered with. */
  public record Finished(String id) {}

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Operation(summary = "Say what came of a request of type passive")
  @APIResponse(
      responseCode = "202",
      description = "it is being ended",
      content = @Content(schema = @Schema(implementation = Finished.class)))
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = Said.class)))
  @APIResponse(responseCode = "400", description = "neither a result nor a reason")
  @APIResponse(responseCode = "404", description = "no such request")
  @APIResponse(responseCode = "409", description = "it does not wait for a person")
  public Uni<Response> finish(@PathParam("id") String id, byte[] body) {
    Said said = Bodies.read(body, Said.class, new Said(null, null));
    JsonNode result = said.result() == null || said.result().isNull() ? null : said.result();
    Optional<String> flaw = RequestControl.answerFlaw(result, said.failed());
    if (flaw.isPresent()) {
      throw ApiException.flaw(flaw.get());
    }
    String message = UUID.randomUUID().toString();
    Caller caller = rights.caller();
    return statuses
        .accepted(id)
        .call(() -> rights.change(caller, id))
        .invoke(ApiException.unless(RequestState.RUNNING::equals, "RUNNING, with type passive"))
        .chain(status -> isPassive(status.job()))
        .invoke(
            passive -> {
              if (!passive) {
                throw ApiException.notPassive(id);
              }
            })
        .chain(
            () ->
                outbox.tell(
                    caller, id, new ControlMessage.Finish(message, id, result, said.failed())))
        .map(done -> Response.accepted(new Finished(id)).build());
  }

  private Uni<Boolean> isPassive(String job) {
    return reads
        .ask(session -> AttemptTable.ofJobs(session, List.of(job)))
        .map(open -> open.stream().anyMatch(one -> one.takes() instanceof Takes.Passive));
  }
}
