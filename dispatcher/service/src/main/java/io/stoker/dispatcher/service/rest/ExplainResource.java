package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.fairshare.Queues;
import io.stoker.dispatcher.model.StoredRequest;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.ApiQueries.Waiting;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.BackoffTable;
import io.stoker.dispatcher.service.postgres.RequestTable;
import io.stoker.dispatcher.service.postgres.StatusQueries;
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

/** Says what a request waits for. */
@RolesAllowed(Rights.READ)
@Path("/explain")
@Produces(MediaType.APPLICATION_JSON)
public class ExplainResource {
  private static final int MOST_DEPENDENCIES = 1000;

  private final Reads reads;
  private final StatusReader statuses;
  private final LineExplainer line;
  private final Queues queues;

  ExplainResource(Reads reads, StatusReader statuses, LineExplainer line, Queues queues) {
    this.reads = reads;
    this.statuses = statuses;
    this.line = line;
    this.queues = queues;
  }

  @GET
  @Path("/{id}")
  @Operation(summary = "What a request waits for")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = Explanation.class)))
  @APIResponse(responseCode = "404", description = "no such request")
  public Uni<Explanation> explain(@PathParam("id") String id) {
    return reads
        .ask(
            session ->
                new StatusQueries(session)
                    .views(List.of(id))
                    .map(views -> views.stream().findFirst())
                    .chain(
                        found ->
                            found.isEmpty()
                                ? Uni.createFrom().item(Optional.<Explanation>empty())
                                : explain(session, found.get())
                                    .chain(why -> withMemory(session, found.get(), why))
                                    .map(Optional::of)))
        .chain(known -> known.isPresent() ? Uni.createFrom().item(known.get()) : refused(id))
        .chain(this::withRefusals);
  }

  /** Of one that was refused nothing may be stored; fast memory may still know that it was. */
  private Uni<Explanation> withRefusals(Explanation why) {
    Uni<Explanation> told = Uni.createFrom().item(why);
    // Whose it would have been is not known: where some are kept apart, it is nobody's to read.
    for (Waiting one : queues.someApart() ? List.<Waiting>of() : why.unposted()) {
      told =
          told.chain(
              so ->
                  statuses
                      .find(one.id())
                      .map(
                          found ->
                              found
                                  .filter(status -> status.state() == RequestState.REJECTED)
                                  .map(so::withRefusal)
                                  .orElse(so)));
    }
    return told;
  }

  /** Nothing is stored of what was refused; fast memory may still know why. */
  private Uni<Explanation> refused(String id) {
    return statuses
        .find(id)
        .map(
            found -> found.map(Explanation::of).orElseThrow(() -> ApiException.unknownRequest(id)));
  }

  private Uni<Explanation> explain(StatelessSession session, RequestStatus status) {
    return switch (status.state()) {
      case WAITING ->
          waitsFor(session, status).map(missing -> Explanation.waiting(status, missing));
      case QUEUED -> queued(session, status);
      default -> Uni.createFrom().item(Explanation.of(status));
    };
  }

  private Uni<List<Waiting>> waitsFor(StatelessSession session, RequestStatus status) {
    return ApiQueries.waitsFor(
            session, status.id(), MOST_DEPENDENCIES, of -> !queues.apart(status.queue(), of))
        .chain(
            missing ->
                new RequestTable(session)
                    .read(List.of(status.id()))
                    .map(rows -> rows.stream().findFirst().flatMap(StoredRequest::readable))
                    .map(
                        request ->
                            request
                                .map(by -> missing.stream().map(one -> one.by(by)).toList())
                                .orElse(missing)));
  }

  private Uni<Explanation> withMemory(
      StatelessSession session, RequestStatus status, Explanation why) {
    return status.job() == null || status.state().terminal()
        ? Uni.createFrom().item(why)
        : line.memory(session, status.job()).map(known -> known.map(why::with).orElse(why));
  }

  private static Uni<Explanation> outOfLine(StatelessSession session, RequestStatus status) {
    return BackoffTable.of(session, status.job())
        .chain(
            waits ->
                waits.isPresent()
                    ? Uni.createFrom().item(Explanation.backsOff(status, waits.get()))
                    : AttemptTable.ofJobs(session, List.of(status.job()))
                        .chain(
                            open ->
                                open.isEmpty()
                                    ? ApiQueries.equalBefore(session, status.job())
                                        .map(
                                            equal ->
                                                Explanation.outOfLine(status, equal.orElse(null)))
                                    : Uni.createFrom()
                                        .item(
                                            Explanation.heldBehindSlots(
                                                status, open.getFirst().host()))));
  }

  private Uni<Explanation> queued(StatelessSession session, RequestStatus status) {
    return ApiQueries.inLine(session, status.job())
        .chain(
            head ->
                head.isEmpty()
                    ? outOfLine(session, status)
                    : line.of(session, head.get()).map(known -> Explanation.queued(status, known)));
  }
}
