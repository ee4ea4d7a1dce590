package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.dispatcher.service.access.SessionCookie;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.HostsResource;
import io.stoker.dispatcher.service.rest.ListResource;
import io.stoker.dispatcher.service.rest.PriorityResource;
import io.stoker.dispatcher.service.rest.Rights;
import io.vertx.core.http.HttpServerRequest;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.FormParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Takes what people send by the page's forms, and has REST do it. */
@RolesAllowed(Rights.READ)
@Path("/page")
@Produces(Html.TYPE)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
public class Forms {
  /** Where the page that follows says that it was told. */
  static final String TOLD = "#told";

  private final Viewers viewers;
  private final HostsResource hosts;

  Forms(Viewers viewers, HostsResource hosts) {
    this.viewers = viewers;
    this.hosts = hosts;
  }

  /** What was written into a field; null if nothing was. */
  static String said(String text) {
    return text == null || text.isBlank() ? null : text.strip();
  }

  /**
   * What a field says of a priority, as {@link PriorityResource} takes it.
   *
   * @throws ApiException 400
   */
  static byte[] priority(String text) {
    String said = text == null ? "" : text.strip();
    Integer priority = number(said);
    PriorityResource.check(priority, said);
    return Json.bytes(Map.of("priority", priority));
  }

  private static Integer number(String text) {
    try {
      return Integer.valueOf(text);
    } catch (NumberFormatException e) {
      return null;
    }
  }

  @POST
  @Path("/logout")
  @Operation(hidden = true)
  public Response logout(@FormParam("key") String key, HttpServerRequest call) {
    viewers.check(key);
    SessionCookie.forget(call);
    return see("/");
  }

  /**
   * Has the browser keep until when what failed was seen.
   *
   * @param until ISO 8601
   */
  @POST
  @Path("/seen")
  @Operation(hidden = true)
  public Response seen(
      @FormParam("key") String key, @FormParam("until") String until, HttpServerRequest call) {
    viewers.check(key);
    long ms = ListResource.time("until", until == null ? "" : until);
    SeenCookie.set(call, Instant.ofEpochMilli(Math.min(ms, System.currentTimeMillis())));
    return see("/");
  }

  @POST
  @RolesAllowed(Rights.OPERATE)
  @Path("/hosts/{host}/{action}")
  @Operation(hidden = true)
  public Uni<Response> host(
      @PathParam("host") String host,
      @PathParam("action") String action,
      @FormParam("key") String key,
      @FormParam("reason") String reason,
      @FormParam("within") String within) {
    viewers.check(key);
    String why = said(reason);
    Uni<Response> done =
        switch (action) {
          case "cordon" -> hosts.cordon(host, why);
          case "drain" -> hosts.drain(host, why, said(within), null);
          case "uncordon" -> hosts.uncordon(host);
          default -> throw ApiException.notAllowed("action", action, "cordon, drain or uncordon");
        };
    return done.map(told -> see("/hosts/" + Texts.path(host) + TOLD));
  }

  /** Relative: which name and scheme a proxy is called by is not known here. */
  static Response see(String path) {
    return Response.status(Response.Status.SEE_OTHER).header(HttpHeaders.LOCATION, path).build();
  }
}
