package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Multi;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;

/**
 * Tells an open view that something of it has changed. It says nothing of what: the view is fetched
 * again, by the rights of who looks.
 */
@RolesAllowed(Rights.READ)
@Path("/page/changes")
public class ChangeStream {
  private final Changes changes;

  ChangeStream(Changes changes) {
    this.changes = changes;
  }

  /**
   * @param of a kind of view, in small letters
   * @param name of the one that the view is about
   */
  @GET
  @Produces(MediaType.SERVER_SENT_EVENTS)
  @Operation(hidden = true)
  public Multi<OutboundSseEvent> changes(
      @QueryParam("of") String of, @QueryParam("name") String name, @Context Sse sse) {
    return changes
        .of(watch(of, name))
        .map(signal -> sse.newEvent(signal.name().toLowerCase(Locale.ROOT), "-"));
  }

  private static Watch watch(String of, String name) {
    Watch.Of kind =
        Arrays.stream(Watch.Of.values())
            .filter(one -> one.name().toLowerCase(Locale.ROOT).equals(of))
            .findFirst()
            .orElseThrow(() -> ApiException.badRequest("of", of, kinds()));
    boolean all = kind == Watch.Of.ALL || kind == Watch.Of.REQUESTS;
    if (!all && name == null) {
      throw ApiException.badRequest("name", "", "the name of a " + of);
    }
    return new Watch(kind, all ? null : name);
  }

  private static String kinds() {
    return Arrays.stream(Watch.Of.values())
        .map(one -> one.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }
}
