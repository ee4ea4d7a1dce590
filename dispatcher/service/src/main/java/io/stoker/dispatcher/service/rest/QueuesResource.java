package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.fairshare.FairShare;
import io.stoker.dispatcher.fairshare.Usage;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.ApiQueries.QueueCount;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.UsageTable;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows how long the lines are, and who has had how much. */
@RolesAllowed(Rights.READ)
@Path("/queues")
@Produces(MediaType.APPLICATION_JSON)
public class QueuesResource {
  private final Reads reads;
  private final FairShare shares;
  private final Rights rights;

  QueuesResource(Reads reads, FairShare shares, Rights rights) {
    this.reads = reads;
    this.rights = rights;
    this.shares = shares;
  }

  /** The queues that are configured, have work, or have had some, in order of name. */
  public record Queues(List<QueueView> queues) {}

  @GET
  @Operation(
      summary = "Jobs in line and jobs placed or running, by queue, with its limits and its share")
  public Uni<Queues> queues() {
    Caller caller = rights.caller();
    return reads.ask(
        session ->
            Uni.combine()
                .all()
                .unis(
                    ApiQueries.queues(session),
                    ApiQueries.heads(session),
                    new UsageTable(session).all(),
                    new AttemptTable(session).all(),
                    Database.now(session))
                .with(
                    (counts, heads, ended, open, now) ->
                        views(caller, counts, heads, ended, open, now)));
  }

  private Queues views(
      Caller caller,
      List<QueueCount> counts,
      Map<String, Long> heads,
      List<Usage> ended,
      List<AttemptRow> open,
      long now) {
    List<String> named = counts.stream().map(QueueCount::queue).toList();
    List<QueueView> all = QueueView.of(counts, heads, shares.standings(ended, open, named, now));
    return new Queues(all.stream().filter(view -> caller.uses(view.queue())).toList());
  }
}
