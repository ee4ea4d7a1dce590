package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.memory.ExpectedEnd;
import io.stoker.dispatcher.service.rest.ExpectedEnds;
import io.stoker.dispatcher.service.rest.HostsResource;
import io.stoker.dispatcher.service.rest.ListResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows the map of hosts and GPUs, and single hosts. */
@RolesAllowed(Rights.READ)
@Path("/hosts")
@Produces(Html.TYPE)
public class FleetPage {
  /** Jobs that are on hosts now. */
  private static final String ON_HOSTS = "PLACED,RUNNING";

  private static final int MOST = 1000;
  private static final int PAST = 25;

  private final HostsResource hosts;
  private final ListResource lists;
  private final ExpectedEnds ends;
  private final Viewers viewers;

  FleetPage(HostsResource hosts, ListResource lists, ExpectedEnds ends, Viewers viewers) {
    this.hosts = hosts;
    this.lists = lists;
    this.ends = ends;
    this.viewers = viewers;
  }

  @GET
  @Operation(hidden = true)
  public Uni<String> fleet() {
    Viewer me = viewers.viewer();
    return map().chain(fleet -> Views.fleet(me, fleet).createUni());
  }

  /** The same as data. */
  @GET
  @Produces(Html.DATA)
  @Operation(hidden = true)
  public Uni<FleetMap> map() {
    return Uni.combine()
        .all()
        .unis(hosts.hosts(), onHosts(null))
        .with((fleet, running) -> FleetMap.of(fleet, running.jobs(), running.ends()));
  }

  @GET
  @Path("/{host}")
  @Operation(hidden = true)
  public Uni<String> host(@PathParam("host") String host) {
    Viewer me = viewers.viewer();
    return card(host)
        .chain(
            shown ->
                Views.host(me, shown.card(), shown.more(), shown.past(), shown.events())
                    .createUni());
  }

  /**
   * A host's page.
   *
   * @param more whether jobs are on it that are not shown
   * @param past the newest jobs that had it
   * @param events what became of it, the newest first
   */
  public record HostPageView(
      HostCard card, boolean more, Jobs past, List<HostsResource.Event> events) {}

  /** The same as data. */
  @GET
  @Path("/{host}")
  @Produces(Html.DATA)
  @Operation(hidden = true)
  public Uni<HostPageView> card(@PathParam("host") String host) {
    return Uni.combine()
        .all()
        .unis(hosts.host(host), onHosts(host), Jobs.of(lists, null, host, PAST), hosts.events(host))
        .with(
            (view, now, past, events) ->
                new HostPageView(
                    HostCard.of(view, now.jobs().all(), now.ends()),
                    now.jobs().more(),
                    past,
                    events));
  }

  /** What runs, and until when, by request. */
  private record Running(Jobs jobs, Map<String, ExpectedEnd> ends) {}

  /**
   * What is on a host now.
   *
   * @param host null for all
   */
  private Uni<Running> onHosts(String host) {
    return Jobs.of(lists, ON_HOSTS, host, MOST)
        .chain(jobs -> ends.of(jobs.all()).map(known -> new Running(jobs, known)));
  }
}
