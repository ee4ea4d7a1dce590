package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ToAgent.DependencyResult;
import io.stoker.common.message.ToAgent.Place;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.service.postgres.AttemptTable;
import io.stoker.dispatcher.service.postgres.PlacementQueries;
import io.stoker.dispatcher.store.Placements.Placed;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows what people are to do. */
@RolesAllowed(Rights.READ)
@Path("/passive")
@Produces(MediaType.APPLICATION_JSON)
public class PassiveResource {
  private final Reads reads;

  PassiveResource(Reads reads) {
    this.reads = reads;
  }

  /** What waits for a person, the longest first. */
  public record Tasks(List<Task> tasks) {}

  /**
   * A job that a person is to do.
   *
   * @param id of the request by which it is finished
   * @param since ms since 1970
   * @param dependencies results of its dependencies, in order
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Task(
      String id,
      String job,
      int attempt,
      String host,
      long since,
      List<String> command,
      JsonNode params,
      Map<String, String> env,
      String workdir,
      String group,
      List<DependencyResult> dependencies) {}

  @GET
  @Operation(summary = "Jobs that wait for a person to do them, the longest first")
  public Uni<Tasks> tasks() {
    return reads
        .ask(
            session ->
                new AttemptTable(session)
                    .all()
                    .map(open -> open.stream().filter(PassiveResource::waits).toList())
                    .chain(
                        open ->
                            new PlacementQueries(session)
                                .known(open.stream().map(AttemptRow::job).toList()))
                    .chain(
                        known ->
                            new PlacementQueries(session)
                                .placed(
                                    known,
                                    known.newest(),
                                    keys -> Uni.createFrom().item(Map.of()))))
        .map(
            placed ->
                new Tasks(
                    placed.stream()
                        .filter(one -> waits(one.attempt()))
                        .sorted(Comparator.comparingLong(one -> one.attempt().placedAt()))
                        .map(PassiveResource::task)
                        .toList()));
  }

  private static boolean waits(AttemptRow attempt) {
    return attempt.takes() instanceof Takes.Passive
        && attempt.state() == AttemptRow.State.RUNNING
        && attempt.cancelReason() == null
        && attempt.answer() == null;
  }

  private static Task task(Placed placed) {
    Place place = placed.message();
    return new Task(
        place.request(),
        place.job(),
        place.attempt(),
        placed.attempt().host(),
        placed.attempt().placedAt(),
        place.program().command(),
        place.params().isMissingNode() ? null : place.params(),
        place.program().env(),
        place.program().workdir().orElse(null),
        place.given().group().orElse(null),
        place.given().dependencies());
  }
}
