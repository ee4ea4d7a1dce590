package io.stoker.dispatcher.service.rest;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.stoker.common.security.AccessRole;
import io.stoker.dispatcher.service.access.Caller;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Tells callers who they are taken for. */
@RolesAllowed(Rights.READ)
@Path("/whoami")
@Produces(MediaType.APPLICATION_JSON)
public class WhoamiResource {
  private final Rights rights;

  WhoamiResource(Rights rights) {
    this.rights = rights;
  }

  /**
   * Who calls.
   *
   * @param name absent where nobody is asked for a token
   * @param role read, submit, operate or admin
   * @param queues which they may post to; empty for all
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Whoami(String name, String role, List<String> queues) {}

  @GET
  @Operation(summary = "Who calls, and what they may do")
  public Whoami whoami() {
    Caller caller = rights.caller();
    AccessRole role = caller.role();
    return new Whoami(
        caller.name().orElse(null), role.key(), caller.queues().stream().sorted().toList());
  }
}
