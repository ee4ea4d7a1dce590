package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.GroupsResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows how far groups are. */
@RolesAllowed(Rights.READ)
@Path("/groups")
@Produces(Html.TYPE)
public class GroupsPage {
  private final GroupsResource groups;
  private final Viewers viewers;

  GroupsPage(GroupsResource groups, Viewers viewers) {
    this.groups = groups;
    this.viewers = viewers;
  }

  @GET
  @Operation(hidden = true)
  public Uni<String> groups(@QueryParam("after") @DefaultValue("") String after) {
    Viewer me = viewers.viewer();
    return groups.groups(after).chain(found -> Views.groups(me, found).createUni());
  }
}
