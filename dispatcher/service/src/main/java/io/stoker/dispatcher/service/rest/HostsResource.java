package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.size.Durations;
import io.stoker.dispatcher.coordinator.placement.SuspectBook;
import io.stoker.dispatcher.lease.HostDirectory;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.Database;
import io.stoker.dispatcher.service.postgres.HostTable;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Shows the fleet, and keeps placements off hosts. */
@RolesAllowed(Rights.READ)
@Path("/hosts")
@Produces(MediaType.APPLICATION_JSON)
public class HostsResource {
  private final Reads reads;
  private final HostDirectory directory;
  private final Outbox outbox;
  private final Rights rights;
  private final SuspectBook suspects;
  private final HostKeys keys;

  HostsResource(
      Reads reads,
      HostDirectory directory,
      Outbox outbox,
      SuspectBook suspects,
      HostKeys keys,
      Rights rights) {
    this.rights = rights;
    this.keys = keys;
    this.reads = reads;
    this.directory = directory;
    this.outbox = outbox;
    this.suspects = suspects;
  }

  /**
   * The fleet, in order of name.
   *
   * @param ignored whose messages were not believed of late, in order of name; absent if there are
   *     none
   */
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public record Fleet(
      @JsonInclude(JsonInclude.Include.ALWAYS) List<HostView> hosts, List<Ignored> ignored) {}

  /** An agent that says it is a host and is not believed. */
  public record Ignored(String host, String reason) {}

  private List<Ignored> ignored() {
    return keys.ignored().entrySet().stream()
        .map(one -> new Ignored(one.getKey(), one.getValue()))
        .toList();
  }

  /**
   * What a change is answered with.
   *
   * @param id of the message that asks for it; the host's answer to a setting names it
   */
  @Schema(name = "HostTold")
  public record Told(String host, String id) {}

  @GET
  @Operation(summary = "All hosts, what they have, and what is free on them")
  public Uni<Fleet> hosts() {
    return reads
        .ask(
            session ->
                new HostTable(session)
                    .all()
                    .chain(
                        rows ->
                            new AttemptTable(session)
                                .all()
                                .chain(
                                    open ->
                                        Database.now(session)
                                            .map(
                                                now ->
                                                    HostView.of(
                                                        rows, open, directory, suspects, now)))))
        .map(hosts -> new Fleet(hosts, ignored()));
  }

  @GET
  @Path("/{host}")
  @Operation(summary = "One host, what it has, and what is free on it")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = HostView.class)))
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<HostView> host(@PathParam("host") String host) {
    return hosts()
        .map(
            fleet ->
                fleet.hosts().stream()
                    .filter(view -> view.host().equals(host))
                    .findFirst()
                    .orElseThrow(() -> ApiException.unknownHost(host)));
  }

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/{host}/cordon")
  @Operation(summary = "Keep new placements off a host; what runs goes on")
  @APIResponse(
      responseCode = "202",
      description = "it will be",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<Response> cordon(@PathParam("host") String host, @QueryParam("reason") String reason) {
    return tell(host, new ControlMessage.Cordon(UUID.randomUUID().toString(), host, reason));
  }

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/{host}/drain")
  @Operation(summary = "Keep new placements off a host and empty it")
  @APIResponse(
      responseCode = "202",
      description = "it will be; GET /hosts shows when it is empty",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "400", description = "within is no duration")
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<Response> drain(
      @PathParam("host") String host,
      @QueryParam("reason") String reason,
      @QueryParam("within") String within,
      @QueryParam("dead") Boolean dead) {
    try {
      if (within != null) {
        Durations.parse(within);
      }
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("within", within, Durations.EXPECTED);
    }
    String id = UUID.randomUUID().toString();
    return tell(host, new ControlMessage.Drain(id, host, reason, within, dead));
  }

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/{host}/uncordon")
  @Operation(summary = "Let a host take placements again")
  @APIResponse(
      responseCode = "202",
      description = "it will",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<Response> uncordon(@PathParam("host") String host) {
    return tell(host, new ControlMessage.Uncordon(UUID.randomUUID().toString(), host));
  }

  /**
   * A policy to choose devices by.
   *
   * @param policy its name; absent, the host's own configuration
   * @param parameters by name
   */
  public record PolicyAsked(String policy, Map<String, String> parameters) {}

  /**
   * Devices to offer.
   *
   * @param devices a device list; blank for none; absent, the host's own configuration
   */
  public record DevicesAsked(String devices) {}

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/{host}/policy")
  @Operation(summary = "Let a host choose devices by another policy")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = PolicyAsked.class)))
  @APIResponse(
      responseCode = "202",
      description = "it will; GET /hosts shows which it uses",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "400", description = "the body is no such object")
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<Response> policy(@PathParam("host") String host, byte[] body) {
    PolicyAsked asked = Bodies.read(body, PolicyAsked.class, new PolicyAsked(null, null));
    String id = UUID.randomUUID().toString();
    return tell(host, new ControlMessage.Policy(id, host, asked.policy(), asked.parameters()));
  }

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/{host}/devices")
  @Operation(summary = "Let a host offer other devices; what runs keeps its own")
  @RequestBody(
      required = true,
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = DevicesAsked.class)))
  @APIResponse(
      responseCode = "202",
      description = "it will; GET /hosts shows what it offers",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "400", description = "the body is no such object")
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<Response> devices(@PathParam("host") String host, byte[] body) {
    DevicesAsked asked = Bodies.read(body, DevicesAsked.class, new DevicesAsked(null));
    String id = UUID.randomUUID().toString();
    return tell(host, new ControlMessage.Devices(id, host, asked.devices()));
  }

  private Uni<Response> tell(String host, ControlMessage message) {
    Caller caller = rights.caller();
    return reads
        .ask(session -> new HostTable(session).all())
        .invoke(
            rows -> {
              if (rows.stream().map(HostRow::id).noneMatch(host::equals)) {
                throw ApiException.unknownHost(host);
              }
            })
        .chain(() -> outbox.tell(caller, host, message))
        .map(done -> Response.accepted(new Told(host, message.id())).build());
  }
}
