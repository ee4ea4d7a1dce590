package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Multi;
import io.stoker.dispatcher.service.postgres.ApiQueries;
import io.stoker.dispatcher.service.postgres.ApiQueries.Output;
import io.stoker.dispatcher.service.rest.LogText.With;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotAcceptableException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.jboss.resteasy.reactive.RestMulti;

/** Shows what a request's job has written. */
@RolesAllowed(Rights.READ)
@Path("/requests/{id}/logs")
public class LogsResource {
  private static final String LINES = "application/x-ndjson";

  private final Reads reads;
  private final LogReader logs;
  private final Rights rights;

  LogsResource(Reads reads, LogReader logs, Rights rights) {
    this.reads = reads;
    this.rights = rights;
    this.logs = logs;
  }

  @GET
  @Operation(
      summary = "The output of a request's job",
      description =
          "Plain text, or one LogChunk a line with json=true, or where lines alone are accepted; with"
              + " follow=true until the job ends."
              + " The lines of a gang begin with their member's rank and host; rank=N shows one"
              + " member's alone. With timestamps=true each line of the text begins with its time.")
  @APIResponse(
      responseCode = "200",
      content = {
        @Content(mediaType = MediaType.TEXT_PLAIN, schema = @Schema(implementation = String.class)),
        @Content(mediaType = LINES, schema = @Schema(ref = "LogChunk"))
      })
  @APIResponse(responseCode = "400", description = "no member has that rank")
  @APIResponse(responseCode = "404", description = "no such request")
  // Bytes, since of text one type alone could be accepted, and which it is follows from parameters.
  public RestMulti<byte[]> logs(
      @Context HttpHeaders headers,
      @PathParam("id") String id,
      @QueryParam("follow") @DefaultValue("false") boolean follow,
      @QueryParam("json") @DefaultValue("false") boolean json,
      @QueryParam("timestamps") @DefaultValue("false") boolean timestamps,
      @QueryParam("rank") Optional<String> rank) {
    boolean lines = json || linesAlone(headers.getAcceptableMediaTypes());
    OptionalInt member = rank(rank);
    String caller = caller();
    LogText text = new LogText(with(lines ? With.JSON : null, member, timestamps));
    String type = lines ? LINES : MediaType.TEXT_PLAIN + ";charset=UTF-8";
    return RestMulti.fromUniResponse(
        reads
            .ask(session -> ApiQueries.output(session, id))
            .map(found -> found.orElseThrow(() -> ApiException.unknownRequest(id)))
            .invoke(output -> refuse(member, output)),
        output ->
            read(caller, id, output, follow, member, text)
                .map(shown -> shown.getBytes(StandardCharsets.UTF_8)),
        output -> Map.of("Content-Type", List.of(type)));
  }

  /**
   * Whether who asks takes lines of JSON and no text.
   *
   * @throws NotAcceptableException if they take neither
   */
  private static boolean linesAlone(List<MediaType> accepted) {
    if (accepted.stream().anyMatch(MediaType.TEXT_PLAIN_TYPE::isCompatible)) {
      return false;
    }
    if (accepted.stream().noneMatch(MediaType.valueOf(LINES)::isCompatible)) {
      throw new NotAcceptableException();
    }
    return true;
  }

  /** The output as text that marks attempts, piece by piece, until the job has ended. */
  public Multi<String> followed(String id, Optional<String> rank, boolean timestamps) {
    OptionalInt member = rank(rank);
    String caller = caller();
    LogText text = new LogText(with(With.ATTEMPTS, member, timestamps));
    return reads
        .ask(session -> ApiQueries.output(session, id))
        .map(found -> found.orElseThrow(() -> ApiException.unknownRequest(id)))
        .invoke(output -> refuse(member, output))
        .onItem()
        .transformToMulti(output -> read(caller, id, output, true, member, text));
  }

  /**
   * @param first null for nothing more
   */
  private static Set<With> with(With first, OptionalInt member, boolean timestamps) {
    Set<With> with = EnumSet.noneOf(With.class);
    if (first != null) {
      with.add(first);
    }
    if (member.isEmpty()) {
      with.add(With.NAMES);
    }
    if (timestamps) {
      with.add(With.TIMES);
    }
    return with;
  }

  private String caller() {
    return rights.caller().name().orElse("");
  }

  private Multi<String> read(
      String caller, String id, Output output, boolean follow, OptionalInt member, LogText text) {
    return logs.read(caller, id, output, follow, member)
        .map(text::of)
        .onCompletion()
        .continueWith(() -> List.of(text.rest()))
        .filter(shown -> !shown.isEmpty());
  }

  private static OptionalInt rank(Optional<String> rank) {
    if (rank.isEmpty()) {
      return OptionalInt.empty();
    }
    try {
      int member = Integer.parseInt(rank.get());
      if (member >= 0) {
        return OptionalInt.of(member);
      }
    } catch (NumberFormatException e) {
      // refused below
    }
    throw ApiException.badRequest("rank", rank.get(), "a number from 0");
  }

  /** A job of which nothing is known yet is one of whatever size. */
  private static void refuse(OptionalInt rank, Output output) {
    if (rank.isEmpty() || output.job() == null) {
      return;
    }
    String given = Integer.toString(rank.getAsInt());
    if (output.members() == 1) {
      throw ApiException.badRequest("rank", given, "none: the job has one host");
    }
    if (rank.getAsInt() >= output.members()) {
      throw ApiException.badRequest("rank", given, "0 to " + (output.members() - 1));
    }
  }
}
