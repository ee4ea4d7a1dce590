package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.request.Dependency;
import io.stoker.common.request.JobRequest;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.RequestDetails;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Shows all that is known of a request. */
@RolesAllowed(Rights.READ)
@Path("/requests/{id}/details")
@Produces(MediaType.APPLICATION_JSON)
public class DetailsResource {
  private static final int MOST_DEPENDENTS = 1000;

  private final Reads reads;
  private final StatusReader statuses;
  private final Queues queues;
  private final Rights rights;

  DetailsResource(Reads reads, StatusReader statuses, Queues queues, Rights rights) {
    this.rights = rights;
    this.reads = reads;
    this.statuses = statuses;
    this.queues = queues;
  }

  @GET
  @Operation(
      summary = "All that is known of a request",
      description =
          "What it asks for, who posted it and when, where its dependencies stand, all attempts of"
              + " its job, and whose job answered it.")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = DetailsView.class)))
  @APIResponse(responseCode = "404", description = "no such request")
  public Uni<DetailsView> details(@PathParam("id") String id) {
    Caller caller = rights.caller();
    return reads
        .ask(session -> stored(session, id, caller))
        .chain(stored -> stored.isPresent() ? Uni.createFrom().item(stored.get()) : refused(id));
  }

  private Uni<Optional<DetailsView>> stored(StatelessSession session, String id, Caller caller) {
    return RequestDetails.of(session, id)
        .chain(
            found ->
                found.isEmpty()
                    ? Uni.createFrom().item(Optional.empty())
                    : stored(session, found.get(), caller).map(Optional::of));
  }

  private Uni<DetailsView> stored(StatelessSession session, RequestDetails found, Caller caller) {
    return dependencies(session, found.row())
        .chain(
            needs ->
                dependents(session, found.row(), caller)
                    .chain(
                        waiting ->
                            ExpectedEnds.of(session, List.of(found.status()))
                                .map(
                                    ends ->
                                        DetailsView.of(
                                            found, needs, waiting, ends.get(found.row().id())))));
  }

  private Uni<List<DetailsView.Dependency>> dependencies(StatelessSession session, RequestRow row) {
    Optional<JobRequest> request = StoredRequest.readable(row);
    List<String> ids = request.map(JobRequest::dependsOn).orElse(List.of());
    return ids.isEmpty()
        ? Uni.createFrom().item(List.of())
        : ApiQueries.states(session, ids, of -> !queues.apart(row.queue(), of))
            .map(
                states ->
                    request.get().dependencies().stream()
                        .map(one -> shown(one, states.get(one.id())))
                        .toList());
  }

  private Uni<List<DetailsView.Dependent>> dependents(
      StatelessSession session, RequestRow row, Caller caller) {
    return ApiQueries.waitingFor(
            session,
            row.id(),
            MOST_DEPENDENTS,
            of -> !queues.apart(row.queue(), of) && caller.uses(of))
        .map(
            all ->
                all.stream()
                    .map(
                        one ->
                            new DetailsView.Dependent(one.id(), RequestState.valueOf(one.state())))
                    .toList());
  }

  private static DetailsView.Dependency shown(Dependency dependency, RequestState state) {
    String condition = dependency.conditional() ? dependency.condition().key() : null;
    return new DetailsView.Dependency(dependency.id(), state, condition);
  }

  /** Its status is remembered for a while. */
  private Uni<DetailsView> refused(String id) {
    return statuses
        .find(id)
        .map(found -> found.orElseThrow(() -> ApiException.unknownRequest(id)))
        .map(DetailsView::refused);
  }
}
