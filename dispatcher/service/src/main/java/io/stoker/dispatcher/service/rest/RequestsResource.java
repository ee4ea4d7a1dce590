package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.intake.QueueAdmission;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.kinds.KindsBook;
import io.stoker.dispatcher.service.postgres.RequestTable;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Posts, follows and cancels requests. */
@RolesAllowed(Rights.READ)
@Path("/requests")
@Produces(MediaType.APPLICATION_JSON)
public class RequestsResource {
  /** How long a post waits for the database; Kafka takes requests without it. */
  private static final Duration CHECK = Duration.ofSeconds(1);

  private final Outbox outbox;
  private final Rights rights;
  private final Reads reads;
  private final StatusReader statuses;
  private final QueueAdmission admission;
  private final KindsBook kinds;

  RequestsResource(
      Outbox outbox,
      Reads reads,
      StatusReader statuses,
      QueueAdmission admission,
      KindsBook kinds,
      Rights rights) {
    this.rights = rights;
    this.outbox = outbox;
    this.reads = reads;
    this.statuses = statuses;
    this.admission = admission;
    this.kinds = kinds;
  }

  /**
   * What is answered to what was taken. It is one type: makers of clients cannot tell two apart.
   *
   * @param id of a single one
   * @param ids of several, in their order
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Posted(
      @Schema(description = "of a single one") String id,
      @Schema(description = "of several, in their order") List<String> ids) {}

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Operation(summary = "Post a request, an array of requests, or one request a line")
  @RequestBody(
      required = true,
      description =
          "As JSON also an array of requests, which makers of clients cannot describe beside a"
              + " single one: clients that are made from this post several as lines",
      content = {
        @Content(mediaType = MediaType.APPLICATION_JSON, schema = @Schema(ref = "Request")),
        @Content(mediaType = PostedBody.CLOUD_EVENT, schema = @Schema(ref = "RequestEvent")),
        @Content(mediaType = PostedBody.NDJSON, schema = @Schema(ref = "RequestLines")),
        @Content(mediaType = PostedBody.JSON_LINES, schema = @Schema(ref = "RequestLines"))
      })
  @APIResponse(
      responseCode = "202",
      description = "the broker has it",
      content = @Content(schema = @Schema(implementation = Posted.class)))
  @APIResponse(
      responseCode = "400",
      description = "a field is wrong, or they would wait for each other")
  @APIResponse(responseCode = "409", description = "the id has other content")
  public Uni<Response> post(
      byte[] body,
      @HeaderParam("Content-Type") String type,
      @HeaderParam("ce-id") Optional<String> eventId) {
    List<JobRequest> posted = PostedBody.read(body, PostedBody.isLines(type), eventId);
    Caller caller = rights.caller(posted);
    List<String> ids = posted.stream().map(JobRequest::id).toList();
    return kinds(posted)
        .map(inForce -> filled(posted, inForce))
        .invoke(filled -> Rights.checkQueues(caller, filled))
        .invoke(this::refuseQueues)
        .call(filled -> rights.checkGroups(caller, groups(filled)))
        .chain(() -> refuseTaken(posted))
        .chain(() -> outbox.post(caller, posted))
        .replaceWith(ids)
        .map(
            all ->
                accepted(all.size() == 1 ? new Posted(all.get(0), null) : new Posted(null, all)));
  }

  private static Set<String> groups(List<JobRequest> filled) {
    return filled.stream().flatMap(request -> request.group().stream()).collect(Collectors.toSet());
  }

  /** The kinds that these need. Without the database, those that were last seen. */
  private Uni<Kinds> kinds(List<JobRequest> posted) {
    if (posted.stream().noneMatch(JobRequest::needsKind)) {
      return Uni.createFrom().item(Kinds.NONE);
    }
    return reads
        .ask(kinds::newest)
        .ifNoItem()
        .after(CHECK)
        .recoverWithItem(kinds::current)
        .onFailure()
        .recoverWithItem(kinds::current);
  }

  /** What they will be filled in with, or a refusal; what is sent on is what was posted. */
  private static List<JobRequest> filled(List<JobRequest> posted, Kinds inForce) {
    List<JobRequest> filled = new ArrayList<>();
    for (JobRequest request : posted) {
      try {
        filled.add(inForce.fill(request));
      } catch (RequestRefused e) {
        throw ApiException.refused(e);
      }
    }
    return filled;
  }

  /** What is posted here goes to the plain topic. */
  private void refuseQueues(List<JobRequest> posted) {
    for (JobRequest request : posted) {
      admission
          .refusal(request, false)
          .ifPresent(
              why -> {
                throw ApiException.refused(why);
              });
    }
  }

  /**
   * Tells at once what intake would tell by dead letter. Without the database nothing is refused
   * here, and intake sees to it later.
   */
  private Uni<Void> refuseTaken(List<JobRequest> posted) {
    Map<String, String> contents = new HashMap<>();
    for (JobRequest request : posted) {
      String before = contents.put(request.id(), request.spec());
      if (before != null && !before.equals(request.spec())) {
        throw ApiException.taken(request.id());
      }
    }
    return reads
        .ask(session -> new RequestTable(session).specs(contents.keySet()))
        .ifNoItem()
        .after(CHECK)
        .recoverWithItem(Map.of())
        .onFailure()
        .recoverWithItem(Map.of())
        .invoke(
            accepted ->
                accepted.forEach(
                    (id, spec) -> {
                      if (!spec.equals(contents.get(id))) {
                        throw ApiException.taken(id);
                      }
                    }))
        .replaceWithVoid();
  }

  @GET
  @Path("/{id}")
  @Operation(summary = "Where a request stands, as on the status topic")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = RequestStatus.class)))
  @APIResponse(responseCode = "404", description = "no such request")
  public Uni<RequestStatus> status(@PathParam("id") String id) {
    return statuses.find(id).map(found -> found.orElseThrow(() -> ApiException.unknownRequest(id)));
  }

  @DELETE
  @RolesAllowed(Rights.SUBMIT)
  @Path("/{id}")
  @Operation(summary = "Cancel a request")
  @APIResponse(
      responseCode = "202",
      description = "it will be cancelled; an ended request stays as it is",
      content = @Content(schema = @Schema(implementation = Posted.class)))
  @APIResponse(responseCode = "404", description = "no such request was accepted")
  public Uni<Response> cancel(@PathParam("id") String id, @QueryParam("reason") String reason) {
    Caller caller = rights.caller();
    // One that was refused has no end to be asked for: the next of its id would get it.
    return statuses
        .accepted(id)
        .call(() -> rights.change(caller, id))
        .chain(
            status ->
                outbox.tell(
                    caller,
                    id,
                    new ControlMessage.Cancel(UUID.randomUUID().toString(), id, reason)))
        .map(done -> accepted(new Posted(id, null)));
  }

  private static Response accepted(Object answer) {
    return Response.accepted(answer).build();
  }
}
