package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.memory.Estimate;
import io.stoker.dispatcher.memory.Estimate.From;
import io.stoker.dispatcher.memory.MemoryRules;
import io.stoker.dispatcher.model.MemoryKeys.Of;
import io.stoker.dispatcher.service.postgres.MemoryTable;
import io.stoker.dispatcher.service.postgres.MemoryTable.Listed;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;

/** Lists what jobs are expected to take of memory, and what that is founded on. */
@RolesAllowed(Rights.READ)
@Path("/estimates")
@Produces(MediaType.APPLICATION_JSON)
public class EstimatesResource {
  private final Reads reads;
  private final MemoryRules rules;

  EstimatesResource(Reads reads, MemoryRules rules) {
    this.reads = reads;
    this.rules = rules;
  }

  /**
   * A page of estimates.
   *
   * @param next what to give as {@code after} for the next page; absent on the last
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Page(List<Known> estimates, String next) {}

  /**
   * What is expected of some jobs.
   *
   * @param of which memory
   * @param from whether it is of equal jobs or of jobs alike
   * @param jobs the fingerprint of equal jobs; of jobs alike what they have in common
   * @param bytes expected on each GPU, or of the host, the margin included
   * @param seen how many were measured
   * @param quantile bytes that most of the newest did not exceed
   * @param highest bytes of the highest of them
   * @param newest bytes that were measured, the last few, the newest first
   * @param at when the newest was measured, ms since 1970
   * @param sentence for people
   */
  public record Known(
      Of of,
      From from,
      String jobs,
      long bytes,
      long seen,
      long quantile,
      long highest,
      List<Long> newest,
      long at,
      String sentence) {}

  /** What a key begins with says what it is of. */
  private record Kind(Of of, From from) {
    String prefix() {
      return from == From.EQUAL_JOBS ? of.equal() : of.like();
    }

    static List<Kind> all() {
      List<Kind> all = new ArrayList<>();
      for (Of of : Of.values()) {
        for (From from : From.values()) {
          all.add(new Kind(of, from));
        }
      }
      return all;
    }
  }

  @GET
  @Operation(summary = "What jobs are expected to take of memory, by what was measured")
  public Uni<Page> estimates(
      @Parameter(schema = @Schema(implementation = Of.class)) @QueryParam("of") Optional<String> of,
      @Parameter(schema = @Schema(implementation = From.class)) @QueryParam("from")
          Optional<String> from,
      @QueryParam("text") @DefaultValue("") String text,
      @QueryParam("limit") @DefaultValue("100") String limit,
      @QueryParam("after") @DefaultValue("") String after) {
    Optional<Of> wantedOf = of.map(name -> constant(Of.class, "of", name));
    Optional<From> wantedFrom = from.map(name -> constant(From.class, "from", name));
    List<Kind> kinds =
        Kind.all().stream()
            .filter(kind -> wantedOf.isEmpty() || wantedOf.get() == kind.of())
            .filter(kind -> wantedFrom.isEmpty() || wantedFrom.get() == kind.from())
            .toList();
    List<String> prefixes = kinds.stream().map(Kind::prefix).toList();
    int most = ListResource.limit(limit);
    return reads
        .ask(session -> MemoryTable.list(session, prefixes, text, after, most))
        .map(listed -> page(listed, kinds, most));
  }

  private Page page(List<Listed> listed, List<Kind> kinds, int most) {
    List<Known> known = listed.stream().flatMap(one -> known(one, kinds).stream()).toList();
    return new Page(known, listed.size() < most ? null : listed.getLast().key());
  }

  private Optional<Known> known(Listed listed, List<Kind> kinds) {
    return kinds.stream()
        .filter(kind -> listed.key().startsWith(kind.prefix()))
        .findFirst()
        .flatMap(
            kind ->
                rules
                    .estimate(kind.of(), kind.from(), listed.peaks())
                    .map(estimate -> known(listed, kind, estimate)));
  }

  private static Known known(Listed listed, Kind kind, Estimate estimate) {
    return new Known(
        kind.of(),
        kind.from(),
        listed.key().substring(kind.prefix().length()),
        estimate.bytes(),
        estimate.seen(),
        estimate.quantile(),
        estimate.highest(),
        listed.peaks().newest(),
        listed.at(),
        estimate.sentence());
  }

  private static <E extends Enum<E>> E constant(Class<E> type, String field, String name) {
    return Arrays.stream(type.getEnumConstants())
        .filter(one -> one.name().equals(name.toUpperCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(() -> ApiException.badRequest(field, name, "one of " + names(type)));
  }

  private static <E extends Enum<E>> String names(Class<E> type) {
    return Arrays.stream(type.getEnumConstants()).map(Enum::name).collect(Collectors.joining(", "));
  }
}
