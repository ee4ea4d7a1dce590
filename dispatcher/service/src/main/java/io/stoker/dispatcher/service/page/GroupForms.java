package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.GroupsResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.FormParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Takes what people send of groups by the page's forms, and has REST do it. */
@RolesAllowed(Rights.READ)
@Path("/page/groups/{group}")
@Produces(Html.TYPE)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
public class GroupForms {
  private final Viewers viewers;
  private final GroupsResource groups;

  GroupForms(Viewers viewers, GroupsResource groups) {
    this.viewers = viewers;
    this.groups = groups;
  }

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Path("/{action}")
  @Operation(hidden = true)
  public Uni<Response> group(
      @PathParam("group") String group,
      @PathParam("action") String action,
      @FormParam("key") String key) {
    viewers.check(key);
    Uni<Response> done =
        switch (action) {
          case "stop" -> groups.stop(group);
          case "close" -> groups.close(group);
          case "rerun-best" -> groups.rerunBest(group);
          default -> throw ApiException.notAllowed("action", action, "stop, close or rerun-best");
        };
    return done.map(told -> Forms.see("/groups/" + Texts.path(group) + Forms.TOLD));
  }
}
