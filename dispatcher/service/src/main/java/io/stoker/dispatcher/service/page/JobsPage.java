package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.service.rest.DetailsResource;
import io.stoker.dispatcher.service.rest.ExplainResource;
import io.stoker.dispatcher.service.rest.ListResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.core.UriInfo;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows requests: those that fit, and each by itself. */
@RolesAllowed(Rights.READ)
@Path("/requests")
@Produces(Html.TYPE)
public class JobsPage {
  private final ListResource lists;
  private final DetailsResource details;
  private final ExplainResource why;
  private final HostDirectory directory;
  private final Viewers viewers;

  JobsPage(
      ListResource lists,
      DetailsResource details,
      ExplainResource why,
      HostDirectory directory,
      Viewers viewers) {
    this.directory = directory;
    this.lists = lists;
    this.details = details;
    this.why = why;
    this.viewers = viewers;
  }

  /** The parameters are those of {@link ListResource#list}; its form also sends blank ones. */
  @GET
  @Operation(hidden = true)
  public Uni<Response> jobs(
      @QueryParam("state") String state,
      @QueryParam("queue") String queue,
      @QueryParam("group") String group,
      @QueryParam("host") String host,
      @QueryParam("user") String user,
      @QueryParam("label") List<String> labels,
      @QueryParam("prefix") String prefix,
      @QueryParam("kind") String kind,
      @QueryParam("text") String text,
      @QueryParam("code") String code,
      @QueryParam("failing") boolean failing,
      @QueryParam("since") String since,
      @QueryParam("until") String until,
      @QueryParam("endedSince") String endedSince,
      @QueryParam("sort") String sort,
      @QueryParam("limit") String limit,
      @QueryParam("after") String after,
      @QueryParam("many") String many,
      @QueryParam("by") String by,
      @Context UriInfo address) {
    Viewer me = viewers.viewer();
    JobsQuery query = JobsQuery.of(address.getQueryParameters());
    if (!query.parameters().equals(address.getQueryParameters())) {
      // What is blank is no part of an address that is passed on.
      return Uni.createFrom().item(Forms.see(query.at(after)));
    }
    if (many != null) {
      return many(me, query);
    }
    return lists
        .listed(query.parameters())
        .chain(found -> Views.jobs(me, query, found).createUni())
        .map(page -> Response.ok(page).build());
  }

  /** What may be done to all that a list shows; its query, with {@code many}. */
  private Uni<Response> many(Viewer me, JobsQuery query) {
    return lists
        .listed(query.listing(ManyView.MOST))
        .map(found -> ManyView.of(query, found))
        .chain(many -> Views.many(me, many).createUni())
        .map(page -> Response.ok(page).build());
  }

  @GET
  @Path("/{id}")
  @Operation(hidden = true)
  public Uni<String> job(@PathParam("id") String id) {
    Viewer me = viewers.viewer();
    return view(id).chain(job -> Views.job(me, job).createUni());
  }

  /** The same as data. */
  @GET
  @Path("/{id}")
  @Produces(Html.DATA)
  @Operation(hidden = true)
  public Uni<JobView> view(@PathParam("id") String id) {
    return Uni.combine()
        .all()
        .unis(details.details(id), why.explain(id))
        .with(
            (found, reasons) ->
                JobView.of(found, reasons, MemoryUse.of(found, reasons, directory::lastHeartbeat)));
  }
}
