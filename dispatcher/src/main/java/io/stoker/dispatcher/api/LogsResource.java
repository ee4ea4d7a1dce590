package io.stoker.dispatcher.api;

import io.stoker.dispatcher.store.ApiQueries;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.jboss.resteasy.reactive.RestMulti;

/** Shows what a request's job has written. */
@Path("/requests/{id}/logs")
public class LogsResource {
  private static final String LINES = "application/x-ndjson";

  private final Reads reads;
  private final LogReader logs;

  LogsResource(Reads reads, LogReader logs) {
    this.reads = reads;
    this.logs = logs;
  }

  @GET
  @Operation(
      summary = "The output of a request's job",
      description =
          "Plain text, or one LogChunk a line with json=true; with follow=true until the job ends.")
  @APIResponse(responseCode = "404", description = "no such request")
  @Produces(MediaType.TEXT_PLAIN)
  public RestMulti<String> logs(
      @PathParam("id") String id,
      @QueryParam("follow") @DefaultValue("false") boolean follow,
      @QueryParam("json") @DefaultValue("false") boolean json) {
    String type = json ? LINES : MediaType.TEXT_PLAIN + ";charset=UTF-8";
    return RestMulti.fromUniResponse(
        reads
            .ask(session -> ApiQueries.output(session, id))
            .map(found -> found.orElseThrow(() -> ApiException.unknownRequest(id))),
        output -> logs.read(id, output, follow).map(chunk -> LogText.of(chunk, json)),
        output -> Map.of("Content-Type", List.of(type)));
  }
}
