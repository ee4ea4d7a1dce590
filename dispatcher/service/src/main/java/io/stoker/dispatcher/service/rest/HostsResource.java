package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.size.Durations;
import io.stoker.dispatcher.model.HostEvent;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.config.HostKeys;
import io.stoker.dispatcher.service.postgres.HostEventTable;
import io.stoker.dispatcher.service.postgres.HostTable;
import io.stoker.dispatcher.status.Moments;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.function.BiFunction;
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
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final int LOOKS = 100;

  private final Reads reads;
  private final HostViews views;
  private final Outbox outbox;
  private final HostKeys keys;
  private final Rights rights;

  HostsResource(Reads reads, HostViews views, Outbox outbox, HostKeys keys, Rights rights) {
    this.reads = reads;
    this.views = views;
    this.outbox = outbox;
    this.keys = keys;
    this.rights = rights;
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
    return views.fleet();
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

  /**
   * What became of a host.
   *
   * @param events the newest first; older ones than the newest 100 are not kept
   */
  @Schema(name = "HostHistory")
  public record History(String host, List<Event> events) {}

  /**
   * One thing that became of a host.
   *
   * @param at when, ISO 8601
   * @param what STARTED, LOST, STOPPED, CORDONED, UNCORDONED, DRAINING, HELD, RELEASED,
   *     GPU_UNHEALTHY or GPU_HEALTHY; absent if another build noted it, of a kind of its own
   * @param detail why, or of which GPU; absent if nothing more is known
   */
  @Schema(name = "HostEvent")
  public record Event(String at, HostEvent.What what, String detail) {
    private static Event of(HostEventTable.Kept kept) {
      return new Event(Moments.text(kept.at()), kept.what(), kept.detail());
    }
  }

  @GET
  @Path("/{host}/events")
  @Operation(summary = "What became of a host, the newest first")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = History.class)))
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<History> history(@PathParam("host") String host) {
    Uni<List<Event>> events = events(host); // here, for who asks is known only before an answer
    return known(host).chain(() -> events).map(all -> new History(host, all));
  }

  /** What became of a host, the newest first; nothing of one that is not known. */
  public Uni<List<Event>> events(String host) {
    return reads
        .ask(session -> HostEventTable.of(session, host))
        .map(kept -> kept.stream().map(Event::of).toList());
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
   * What a change of keys is answered with.
   *
   * @param id of the message that asks for it
   * @param generation of the host's newest key, once it is done
   */
  @Schema(name = "KeyTold")
  public record KeyTold(String host, String id, int generation) {}

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/{host}/rotate-key")
  @Operation(summary = "Take a host's next key, and the one before it for a while")
  @APIResponse(
      responseCode = "202",
      description = "it will be; GET /hosts shows which are taken",
      content = @Content(schema = @Schema(implementation = KeyTold.class)))
  @APIResponse(responseCode = "400", description = "overlap is no duration, or hosts have no keys")
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<Response> rotateKey(
      @PathParam("host") String host, @QueryParam("overlap") @DefaultValue("1h") String overlap) {
    try {
      Durations.parse(overlap);
    } catch (IllegalArgumentException e) {
      throw ApiException.badRequest("overlap", overlap, Durations.EXPECTED);
    }
    return tellKey(
        host, (id, key) -> new ControlMessage.RotateKey(id, host, key.generation() + 1, overlap));
  }

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/{host}/revoke-key")
  @Operation(summary = "Refuse keys of a host from now on; what it runs is held meanwhile")
  @APIResponse(
      responseCode = "202",
      description = "they will be; GET /hosts shows which are taken",
      content = @Content(schema = @Schema(implementation = KeyTold.class)))
  @APIResponse(
      responseCode = "400",
      description = "generation is none, or later than the newest; or hosts have no keys")
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<Response> revokeKey(
      @PathParam("host") String host, @QueryParam("generation") Optional<String> generation) {
    OptionalInt last = generation(generation);
    return tellKey(host, (id, key) -> new ControlMessage.RevokeKey(id, host, last(key, last)));
  }

  /** A number too large for any key is none. */
  private static OptionalInt generation(Optional<String> asked) {
    if (asked.isEmpty()) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(Integer.parseInt(asked.get()));
    } catch (NumberFormatException e) {
      throw ApiException.badRequest("generation", asked.get(), "a number from 0");
    }
  }

  /** All that were ever given to the host, if nobody says otherwise. */
  private static int last(HostKey key, OptionalInt asked) {
    int newest = key.generation();
    int last = asked.orElse(newest);
    if (last < 0 || last > newest) {
      throw ApiException.badRequest("generation", Integer.toString(last), "0 to " + newest);
    }
    return last;
  }

  private Uni<Response> tellKey(String host, BiFunction<String, HostKey, ControlMessage> message) {
    if (!keys.required()) {
      throw ApiException.noHostKeys();
    }
    Caller caller = rights.caller();
    return known(host)
        .chain(
            row -> {
              ControlMessage asked = message.apply(UUID.randomUUID().toString(), row.key());
              KeyTold told = new KeyTold(host, asked.id(), after(asked, row.key()).generation());
              return outbox
                  .tell(caller, host, asked)
                  .chain(() -> done(host, asked))
                  .replaceWith(Response.accepted(told).build());
            });
  }

  private static HostKey after(ControlMessage asked, HostKey key) {
    return switch (asked) {
      case ControlMessage.RotateKey next -> key.rotated(next.generation(), 0);
      case ControlMessage.RevokeKey last -> key.revoked(last.generation());
      default -> key;
    };
  }

  /**
   * Waits until it would change nothing any more, but not for ever. Who revokes what was rotated a
   * moment before must find it there: the key in between would stay in force.
   */
  private Uni<Void> done(String host, ControlMessage asked) {
    return known(host)
        .map(HostRow::key)
        .repeat()
        .withDelay(LOOK)
        .atMost(LOOKS)
        .filter(key -> after(asked, key).equals(key))
        .toUni() // the first of them, or none
        .replaceWithVoid();
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
  @APIResponse(
      responseCode = "400",
      description = "the body is no such object, or a parameter is null")
  @APIResponse(responseCode = "404", description = "no such host")
  public Uni<Response> policy(@PathParam("host") String host, byte[] body) {
    PolicyAsked asked = Bodies.read(body, PolicyAsked.class, new PolicyAsked(null, null));
    String id = UUID.randomUUID().toString();
    ControlMessage.Policy policy =
        new ControlMessage.Policy(id, host, asked.policy(), asked.parameters());
    Optional<String> flaw = policy.flaw();
    if (flaw.isPresent()) {
      throw ApiException.flaw(flaw.get());
    }
    return tell(host, policy);
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
    return known(host)
        .chain(() -> outbox.tell(caller, host, message))
        .map(done -> Response.accepted(new Told(host, message.id())).build());
  }

  private Uni<HostRow> known(String host) {
    return reads
        .ask(session -> new HostTable(session).all())
        .map(
            rows ->
                rows.stream()
                    .filter(row -> row.id().equals(host))
                    .findFirst()
                    .orElseThrow(() -> ApiException.unknownHost(host)));
  }
}
