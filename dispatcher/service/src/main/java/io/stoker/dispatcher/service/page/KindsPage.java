package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.KindsResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows the configured kinds of requests. */
@RolesAllowed(Rights.READ)
@Path("/")
@Produces(Html.TYPE)
public class KindsPage {
  private final KindsResource kinds;
  private final Viewers viewers;

  KindsPage(KindsResource kinds, Viewers viewers) {
    this.kinds = kinds;
    this.viewers = viewers;
  }

  @GET
  @Path("/kinds")
  @Operation(hidden = true)
  public Uni<String> kinds() {
    Viewer me = viewers.viewer();
    return kinds.kinds().chain(all -> Views.kinds(me, all).createUni());
  }
}
