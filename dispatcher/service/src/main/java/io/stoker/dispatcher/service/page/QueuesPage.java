package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.QueuesResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows the queues: what waits, what runs, and who has had how much. */
@RolesAllowed(Rights.READ)
@Path("/queues")
@Produces(Html.TYPE)
public class QueuesPage {
  private final QueuesResource queues;
  private final Viewers viewers;

  QueuesPage(QueuesResource queues, Viewers viewers) {
    this.queues = queues;
    this.viewers = viewers;
  }

  @GET
  @Operation(hidden = true)
  public Uni<String> queues() {
    Viewer me = viewers.viewer();
    return queues.queues().chain(all -> Views.queues(me, all.queues()).createUni());
  }
}
