package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.common.state.Code;
import io.stoker.dispatcher.service.page.Now.Since;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.HostsResource;
import io.stoker.dispatcher.service.rest.ListResource;
import io.stoker.dispatcher.service.rest.QueuesResource;
import io.stoker.dispatcher.service.rest.Reads;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows at a glance whether anything is wrong. */
@RolesAllowed(Rights.READ)
@Path("/")
public class NowPage {
  private static final Duration BACK = Duration.ofDays(1);

  /**
   * An end of so long ago may still be on its way into the database, or was stored since it was
   * asked for: it is shown once more.
   */
  private static final Duration UNSTORED = Duration.ofSeconds(5);

  private static final int MOST_RUNNING = 15;

  private final HostsResource hosts;
  private final QueuesResource queues;
  private final ListResource lists;
  private final Tallies tallies;
  private final Reads reads;
  private final Troubles troubles;
  private final Viewers viewers;

  NowPage(
      HostsResource hosts,
      QueuesResource queues,
      ListResource lists,
      Tallies tallies,
      Reads reads,
      Troubles troubles,
      Viewers viewers) {
    this.hosts = hosts;
    this.queues = queues;
    this.lists = lists;
    this.tallies = tallies;
    this.reads = reads;
    this.troubles = troubles;
    this.viewers = viewers;
  }

  /**
   * @param since from when on what failed is shown, ISO 8601; in place of when it was last seen
   */
  @GET
  @Produces(MediaType.APPLICATION_JSON)
  @Operation(summary = "Whether anything is wrong, what runs, and what waits")
  public Uni<Now> now(@QueryParam("since") Optional<String> since) {
    Since from = since(since);
    return known(from)
        .onFailure(ApiException::isUnavailable)
        .recoverWithUni(
            why ->
                troubles
                    .withoutPostgres()
                    .map(others -> Now.unknown(why.getMessage(), others, from)));
  }

  private Uni<Now> known(Since from) {
    return Uni.combine()
        .all()
        .unis(
            hosts.hosts(),
            queues.queues(),
            tallies.of(
                Map.of(
                    "state", List.of("FAILED"),
                    "endedSince", List.of(from.since()),
                    "by", List.of("code"))),
            tallies.of(
                Map.of(
                    "state", List.of("QUEUED"),
                    "code", List.of(Code.UNSATISFIABLE.name()),
                    "by", List.of("queue"))),
            Jobs.of(lists, "RUNNING", null, MOST_RUNNING),
            troubles.all(),
            reads.ask(Database::now))
        .with(
            (fleet, line, failed, never, running, others, at) ->
                Now.of(
                    fleet,
                    line.queues(),
                    failed,
                    never,
                    running,
                    others,
                    from,
                    Instant.ofEpochMilli(at).minus(UNSTORED).toString()));
  }

  /** As the address says, else since it was last seen, else since yesterday. */
  private Since since(Optional<String> asked) {
    Optional<String> said =
        asked.map(text -> Instant.ofEpochMilli(ListResource.time("since", text)).toString());
    Optional<String> seen = SeenCookie.of(viewers.call()).map(Instant::toString);
    return new Since(
        said.or(() -> seen)
            .orElseGet(() -> Instant.now().minus(BACK).truncatedTo(ChronoUnit.MINUTES).toString()),
        said.isEmpty() && seen.isPresent());
  }

  @GET
  @Produces(Html.TYPE)
  @Operation(hidden = true)
  public Uni<String> page(@QueryParam("since") Optional<String> since) {
    Viewer me = viewers.viewer();
    return now(since).chain(now -> Views.now(me, now).createUni());
  }
}
