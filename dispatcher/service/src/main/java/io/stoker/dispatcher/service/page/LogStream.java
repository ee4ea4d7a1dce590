package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Multi;
import io.stoker.common.json.Json;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.LogsResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Sends a job's output to a page while somebody looks at it. */
@RolesAllowed(Rights.READ)
@Path("/page/requests/{id}/log")
public class LogStream {
  /** At most four times a second. */
  private static final Duration PACE = Duration.ofMillis(250);

  /** Pieces of output that are sent at once. */
  private static final int TOGETHER = 4096;

  /** Characters of what has come at once that are shown: nobody reads more of it. */
  private static final int MOST = 64 * 1024;

  private final LogsResource logs;

  LogStream(LogsResource logs) {
    this.logs = logs;
  }

  /**
   * Each event is a {@link Said} as JSON, and named by how many pieces have come with it; the last
   * one is {@code done}, of a request that nobody knows the only one: a browser asks again for what
   * breaks off.
   *
   * @param seen the last event that a browser has which was cut off
   * @param from likewise, of one that stopped looking for a while
   * @param rank of the member of a gang whose output it is; all members' if absent
   * @param timestamps whether lines begin with their time
   */
  @GET
  @Produces(MediaType.SERVER_SENT_EVENTS)
  @Operation(hidden = true)
  public Multi<OutboundSseEvent> follow(
      @PathParam("id") String id,
      @HeaderParam("Last-Event-ID") String seen,
      @QueryParam("from") String from,
      @QueryParam("rank") Optional<String> rank,
      @QueryParam("timestamps") @DefaultValue("false") boolean timestamps,
      @Context Sse sse) {
    String last = seen == null ? from : seen;
    AtomicInteger sent =
        new AtomicInteger(last != null && last.matches("[0-9]{1,9}") ? Integer.parseInt(last) : 0);
    return logs.followed(id, rank, timestamps)
        .skip()
        .first(sent.get())
        .group()
        .intoLists()
        .of(TOGETHER, PACE)
        .map(
            some ->
                sse.newEventBuilder()
                    .id(Integer.toString(sent.addAndGet(some.size())))
                    .data(Json.text(said(some)))
                    .build())
        .onFailure(ApiException::isNotFound)
        .recoverWithCompletion()
        .onCompletion()
        .continueWith(sse.newEventBuilder().name("done").data("").build());
  }

  /** What has come, as text; of more than anybody reads at once, its end. */
  static Said said(List<String> pieces) {
    String text = String.join("", pieces);
    int left = Math.max(0, text.length() - MOST);
    return new Said(text.substring(left), left);
  }

  /**
   * What an event says.
   *
   * @param text of the output
   * @param left characters before it that are left out
   */
  record Said(String text, int left) {}
}
