package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.PoolsResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows the pools of workers. */
@RolesAllowed(Rights.READ)
@Path("/pools")
@Produces(Html.TYPE)
public class PoolsPage {
  private final PoolsResource pools;
  private final Viewers viewers;

  PoolsPage(PoolsResource pools, Viewers viewers) {
    this.pools = pools;
    this.viewers = viewers;
  }

  @GET
  @Operation(hidden = true)
  public Uni<String> pools() {
    Viewer me = viewers.viewer();
    return pools.pools().chain(all -> Views.pools(me, all.pools()).createUni());
  }
}
