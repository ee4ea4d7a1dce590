package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.postgres.IntermediateTable;
import io.stoker.dispatcher.service.postgres.StatusQueries;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Shows what a job said of its result while it ran. */
@RolesAllowed(Rights.READ)
@Path("/requests/{id}/results")
@Produces(MediaType.APPLICATION_JSON)
public class IntermediatesResource {
  private static final int MOST = 10_000;

  private final Reads reads;

  IntermediatesResource(Reads reads) {
    this.reads = reads;
  }

  /** The last of them, in order. */
  public record Intermediates(String id, List<Intermediate> results) {}

  /**
   * One of them.
   *
   * @param at ISO 8601
   * @param score its first number; null if it is none
   * @param result as it was printed; null where that is large
   */
  public record Intermediate(int attempt, String at, Double score, JsonNode result) {}

  @GET
  @Operation(summary = "Intermediate results of a request's job, in order")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = Intermediates.class)))
  @APIResponse(responseCode = "404", description = "no such request")
  public Uni<Intermediates> results(@PathParam("id") String id) {
    return reads.ask(
        session ->
            new StatusQueries(session)
                .views(List.of(id))
                .invoke(
                    views -> {
                      if (views.isEmpty()) {
                        throw ApiException.unknownRequest(id);
                      }
                    })
                .chain(() -> IntermediateTable.of(session, id, MOST))
                .map(
                    said ->
                        new Intermediates(
                            id,
                            said.stream()
                                .map(
                                    one ->
                                        new Intermediate(
                                            one.attempt(),
                                            Instant.ofEpochMilli(one.at()).toString(),
                                            one.score(),
                                            one.result()))
                                .toList())));
  }
}
