package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.RequestsResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.FormParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Posts what people have put right of a dead letter. */
@RolesAllowed(Rights.SUBMIT)
@Path("/page/dead-letters/again")
@Produces(Html.TYPE)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
public class DeadLetterForm {
  private final Viewers viewers;
  private final RequestsResource requests;

  DeadLetterForm(Viewers viewers, RequestsResource requests) {
    this.viewers = viewers;
    this.requests = requests;
  }

  @POST
  @Operation(hidden = true)
  public Uni<Response> again(@FormParam("key") String key, @FormParam("value") String value) {
    viewers.check(key);
    byte[] body = (value == null ? "" : value).getBytes(StandardCharsets.UTF_8);
    return requests
        .post(body, MediaType.APPLICATION_JSON, Optional.empty())
        .map(Response::getEntity)
        .map(RequestsResource.Posted.class::cast)
        .map(
            posted ->
                Forms.see(
                    posted.id() == null
                        ? "/requests"
                        : "/requests/" + Texts.path(posted.id()) + Forms.TOLD));
  }
}
