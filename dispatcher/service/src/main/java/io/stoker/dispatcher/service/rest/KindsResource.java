package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent.WorkerPool;
import io.stoker.dispatcher.kinds.Kind;
import io.stoker.dispatcher.kinds.Kinds;
import io.stoker.dispatcher.kinds.Reloaded;
import io.stoker.dispatcher.service.kinds.KindsBook;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Comparator;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Shows the configured kinds, and has the configuration read again. */
@RolesAllowed(Rights.READ)
@Path("/")
@Produces(MediaType.APPLICATION_JSON)
public class KindsResource {
  private final KindsBook book;
  private final Reads reads;

  KindsResource(KindsBook book, Reads reads) {
    this.book = book;
    this.reads = reads;
  }

  /**
   * The kinds in force.
   *
   * @param generation rises with each change of them
   */
  public record InForce(long generation, List<Configured> kinds) {}

  /**
   * A kind.
   *
   * @param definition its fields, as configured
   * @param pool that it declares, with what it left out; absent if it declares none
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Configured(String kind, JsonNode definition, WorkerPool pool) {}

  @GET
  @Path("/kinds")
  @Operation(summary = "The configured kinds of requests")
  public Uni<InForce> kinds() {
    return reads.ask(book::newest).map(KindsResource::shown);
  }

  private static InForce shown(Kinds kinds) {
    return new InForce(
        kinds.generation(),
        kinds.byName().values().stream()
            .sorted(Comparator.comparing(Kind::name))
            .map(kind -> new Configured(kind.name(), kind.definition(), kind.pool().orElse(null)))
            .toList());
  }

  @POST
  @RolesAllowed(Rights.ADMIN)
  @Path("/reload")
  @Operation(summary = "Read the configuration of kinds again; what runs goes on")
  @APIResponse(
      responseCode = "200",
      description = "it is in force",
      content = @Content(schema = @Schema(implementation = Reloaded.class)))
  @APIResponse(
      responseCode = "400",
      description = "it is refused, and what was in force before still is",
      content = @Content(schema = @Schema(implementation = Reloaded.class)))
  public Uni<Response> reload() {
    return reads
        .answer(book.reload())
        .map(reloaded -> Response.status(reloaded.applied() ? 200 : 400).entity(reloaded).build());
  }
}
