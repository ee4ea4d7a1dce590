package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.GroupsResource;
import io.stoker.dispatcher.service.rest.ReportsResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows how far groups are. */
@RolesAllowed(Rights.READ)
@Path("/groups")
@Produces(Html.TYPE)
public class GroupsPage {
  /** Of a larger group the first ones are plotted and ranked. */
  private static final int MOST = 2_000;

  private final GroupsResource groups;
  private final ReportsResource reports;
  private final Viewers viewers;

  GroupsPage(GroupsResource groups, ReportsResource reports, Viewers viewers) {
    this.reports = reports;
    this.groups = groups;
    this.viewers = viewers;
  }

  @GET
  @Operation(hidden = true)
  public Uni<String> groups(@QueryParam("after") @DefaultValue("") String after) {
    Viewer me = viewers.viewer();
    return groups.groups(after).chain(found -> Views.groups(me, found).createUni());
  }

  @GET
  @Path("/{group}")
  @Operation(hidden = true)
  public Uni<String> group(@PathParam("group") String group) {
    Viewer me = viewers.viewer();
    return view(group).chain(view -> Views.group(me, view).createUni());
  }

  /** The same as data. */
  @GET
  @Path("/{group}")
  @Produces(Html.DATA)
  @Operation(hidden = true)
  public Uni<GroupPageView> view(@PathParam("group") String group) {
    return Uni.combine()
        .all()
        .unis(groups.group(group), reports.facts(group, MOST))
        .with(GroupPageView::of);
  }
}
