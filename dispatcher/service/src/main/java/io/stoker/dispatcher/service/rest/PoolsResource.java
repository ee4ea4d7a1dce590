package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.message.HostMessage.Heartbeat;
import io.stoker.common.message.HostMessage.PoolOffer;
import io.stoker.common.message.HostMessage.PoolState;
import io.stoker.dispatcher.coordinator.control.PoolControl;
import io.stoker.dispatcher.host.HostDirectory;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.HostTable;
import io.stoker.dispatcher.service.postgres.PoolLatencies;
import io.stoker.dispatcher.service.postgres.PoolLatencies.Latency;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Shows pools of workers, and passes on what people want of them. */
@RolesAllowed(Rights.READ)
@Path("/pools")
@Produces(MediaType.APPLICATION_JSON)
public class PoolsResource {
  private final Reads reads;
  private final HostDirectory directory;
  private final Outbox outbox;
  private final Rights rights;

  PoolsResource(Reads reads, HostDirectory directory, Outbox outbox, Rights rights) {
    this.rights = rights;
    this.reads = reads;
    this.directory = directory;
    this.outbox = outbox;
  }

  /** All pools, by host and name. */
  public record Pools(List<PoolView> pools) {}

  /**
   * A pool on a host.
   *
   * @param capacity jobs that it holds at most, as its host has reported
   * @param open jobs that were given to it and are not over
   * @param kind that declares it; absent if the host's own configuration does
   * @param report how it was at the host's last heartbeat; absent if none was heard
   * @param latency of jobs that succeeded on it lately; absent if there are none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record PoolView(
      String host,
      String pool,
      int capacity,
      int open,
      String kind,
      PoolState report,
      PoolLatency latency) {}

  /**
   * How long jobs took from their getting in line to their ends: of those that were posted within
   * the last hour, and are among the newest 10,000 requests.
   *
   * @param ended how many there are
   * @param p50Ms half of them took no longer, ms
   * @param p95Ms 95 % of them took no longer, ms
   */
  public record PoolLatency(long ended, double p50Ms, double p95Ms) {}

  /** What a change is answered with. */
  @Schema(name = "PoolTold")
  public record Told(String host, String pool, String action) {}

  @GET
  @Operation(summary = "All pools of workers, by host and name")
  public Uni<Pools> pools() {
    return views().map(Pools::new);
  }

  @GET
  @Path("/{host}/{pool}")
  @Operation(summary = "How one pool of workers is")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = PoolView.class)))
  @APIResponse(responseCode = "404", description = "no such pool")
  public Uni<PoolView> pool(@PathParam("host") String host, @PathParam("pool") String pool) {
    return views().map(views -> find(views, host, pool));
  }

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/{host}/{pool}/{action}")
  @Operation(
      summary = "Reset a pool of workers, close it (drain, discard, abort), or open it again")
  @APIResponse(
      responseCode = "202",
      description = "it will be; GET /pools shows it",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "400", description = "no such action")
  @APIResponse(responseCode = "404", description = "no such pool")
  public Uni<Response> act(
      @PathParam("host") String host,
      @PathParam("pool") String pool,
      @PathParam("action") String action) {
    if (!PoolControl.ACTIONS.contains(action)) {
      throw ApiException.badRequest("action", action, "one of " + PoolControl.ACTIONS);
    }
    Caller caller = rights.caller();
    String id = UUID.randomUUID().toString();
    return views()
        .invoke(views -> find(views, host, pool))
        .chain(() -> outbox.tell(caller, host, new ControlMessage.Pool(id, host, pool, action)))
        .map(done -> Response.accepted(new Told(host, pool, action)).build());
  }

  private static PoolView find(List<PoolView> views, String host, String pool) {
    return views.stream()
        .filter(view -> view.host().equals(host) && view.pool().equals(pool))
        .findFirst()
        .orElseThrow(() -> ApiException.unknownPool(host, pool));
  }

  private Uni<List<PoolView>> views() {
    return reads.ask(
        session ->
            new HostTable(session)
                .all()
                .chain(
                    hosts ->
                        hosts.stream().allMatch(host -> host.resources().pools() == null)
                            ? Uni.createFrom().item(List.<PoolView>of())
                            : new AttemptTable(session)
                                .all()
                                .chain(
                                    open ->
                                        PoolLatencies.of(session)
                                            .map(
                                                latencies ->
                                                    hosts.stream()
                                                        .flatMap(
                                                            host -> views(host, open, latencies))
                                                        .toList()))));
  }

  private Stream<PoolView> views(HostRow host, List<AttemptRow> open, List<Latency> latencies) {
    if (host.resources().pools() == null) {
      return Stream.empty();
    }
    return host.resources().pools().stream()
        .sorted(Comparator.comparing(PoolOffer::name))
        .map(
            pool ->
                new PoolView(
                    host.id(),
                    pool.name(),
                    pool.capacity(),
                    (int) open.stream().filter(one -> on(one, host.id(), pool.name())).count(),
                    pool.kind(),
                    report(host.id(), pool.name()).orElse(null),
                    latencies.stream()
                        .filter(one -> one.host().equals(host.id()))
                        .filter(one -> one.pool().equals(pool.name()))
                        .map(one -> new PoolLatency(one.ended(), one.p50Ms(), one.p95Ms()))
                        .findFirst()
                        .orElse(null)));
  }

  private static boolean on(AttemptRow attempt, String host, String pool) {
    return attempt.host().equals(host) && pool.equals(attempt.takes().pool());
  }

  private Optional<PoolState> report(String host, String pool) {
    return directory
        .lastHeartbeat(host)
        .map(Heartbeat::pools)
        .flatMap(pools -> pools.stream().filter(one -> one.name().equals(pool)).findFirst());
  }
}
