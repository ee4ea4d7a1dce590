package io.stoker.dispatcher.api;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.RequestStatus;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.placement.FleetView;
import io.stoker.dispatcher.placement.PlacementPass;
import io.stoker.dispatcher.placement.Scheduler;
import io.stoker.dispatcher.placement.Snapshot.Head;
import io.stoker.dispatcher.placement.Unplaced;
import io.stoker.dispatcher.store.ApiQueries;
import io.stoker.dispatcher.store.AttemptTable;
import io.stoker.dispatcher.store.HostTable;
import io.stoker.dispatcher.store.StatusQueries;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Says what a request waits for. */
@Path("/explain")
@Produces(MediaType.APPLICATION_JSON)
public class ExplainResource {
  private static final int MOST_DEPENDENCIES = 1000;

  private final Reads reads;
  private final Scheduler scheduler;
  private final HostDirectory directory;

  ExplainResource(Reads reads, Scheduler scheduler, HostDirectory directory) {
    this.reads = reads;
    this.scheduler = scheduler;
    this.directory = directory;
  }

  @GET
  @Path("/{id}")
  @Operation(summary = "What a request waits for")
  @APIResponse(responseCode = "404", description = "no such request")
  public Uni<Explanation> explain(@PathParam("id") String id) {
    return reads.ask(
        session ->
            StatusQueries.views(session, List.of(id))
                .map(views -> views.stream().findFirst())
                .map(found -> found.orElseThrow(() -> ApiException.unknownRequest(id)))
                .chain(status -> explain(session, status)));
  }

  private Uni<Explanation> explain(StatelessSession session, RequestStatus status) {
    return switch (status.state()) {
      case WAITING ->
          ApiQueries.waitsFor(session, status.id(), MOST_DEPENDENCIES)
              .map(missing -> Explanation.waiting(status, missing));
      case QUEUED ->
          unplaced(session, status.job()).map(why -> Explanation.queued(status, why.orElse(null)));
      default -> Uni.createFrom().item(Explanation.of(status));
    };
  }

  /** The scheduler's own reason where this replica has it, else what a pass would say now. */
  private Uni<Optional<Unplaced>> unplaced(StatelessSession session, String job) {
    Optional<Unplaced> known = scheduler.whyUnplaced(job);
    if (known.isPresent()) {
      return Uni.createFrom().item(known);
    }
    return ApiQueries.inLine(session, job)
        .chain(
            head ->
                head.isEmpty()
                    ? Uni.createFrom().item(Optional.<Unplaced>empty())
                    : alone(session, head.get()));
  }

  private Uni<Optional<Unplaced>> alone(StatelessSession session, Head head) {
    return HostTable.all(session)
        .chain(
            rows ->
                AttemptTable.all(session)
                    .map(
                        open ->
                            FleetView.of(
                                rows,
                                open,
                                List.of(head),
                                directory::alive,
                                directory::lastHeartbeat,
                                shape -> Set.of())))
        .map(snapshot -> PlacementPass.decide(snapshot, Long.MAX_VALUE))
        .map(decision -> Optional.ofNullable(decision.unplaced().get(head.job())));
  }
}
