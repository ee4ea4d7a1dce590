package io.stoker.dispatcher.api;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.store.ApiQueries;
import io.stoker.dispatcher.store.ApiQueries.QueueCount;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows how long the lines are. */
@Path("/queues")
@Produces(MediaType.APPLICATION_JSON)
public class QueuesResource {
  private final Reads reads;

  QueuesResource(Reads reads) {
    this.reads = reads;
  }

  /** The queues that have jobs in line or open, in order of name. */
  public record Queues(List<QueueCount> queues) {}

  @GET
  @Operation(summary = "Jobs in line and jobs placed or running, by queue")
  public Uni<Queues> queues() {
    return reads.ask(ApiQueries::queues).map(Queues::new);
  }
}
