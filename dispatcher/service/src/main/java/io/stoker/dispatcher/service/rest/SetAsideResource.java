package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.runtime.Trouble;
import io.stoker.dispatcher.service.postgres.SetAsideTable;
import io.stoker.dispatcher.status.Moments;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows what the dispatchers fail for each time. */
@RolesAllowed(Rights.READ)
@Path("/set-aside")
@Produces(MediaType.APPLICATION_JSON)
public class SetAsideResource {
  private static final int MOST = 1_000;

  private final Reads reads;

  SetAsideResource(Reads reads) {
    this.reads = reads;
  }

  /** What fails, the newest failure first. */
  public record SetAside(List<Item> items) {}

  /** How it stands with something that fails. */
  public enum How {
    /** It is tried each time. */
    FAILING,
    /** The step goes on without it, and tries it again at {@code nextAt}. */
    ASIDE,
    /** It was given up, and its request has ended. */
    ENDED
  }

  /**
   * Something that a step fails for.
   *
   * @param tries that counted: it failed by itself, and others did not
   * @param nextAt when it is tried again; absent once it was given up
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Item(
      String step,
      String item,
      How how,
      int tries,
      String since,
      String lastAt,
      String nextAt,
      String reason) {
    static Item of(Trouble trouble) {
      return new Item(
          trouble.step(),
          trouble.item(),
          trouble.ended() ? How.ENDED : trouble.aside() ? How.ASIDE : How.FAILING,
          trouble.tries(),
          at(trouble.since()),
          at(trouble.last()),
          trouble.ended() ? null : at(trouble.next()),
          trouble.reason());
    }

    private static String at(long ms) {
      return Moments.text(ms);
    }
  }

  @GET
  @Operation(summary = "What the dispatchers fail for each time, and have set aside")
  public Uni<SetAside> setAside() {
    return reads
        .ask(session -> SetAsideTable.all(session, System.currentTimeMillis(), MOST))
        .map(all -> new SetAside(all.stream().map(Item::of).toList()));
  }
}
