package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.DeadLettersResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows what was set aside because it is wrong, to be put right. */
@RolesAllowed(Rights.OPERATE)
@Path("/dead-letters")
@Produces(Html.TYPE)
public class DeadLettersPage {
  private final DeadLettersResource letters;
  private final Viewers viewers;

  DeadLettersPage(DeadLettersResource letters, Viewers viewers) {
    this.letters = letters;
    this.viewers = viewers;
  }

  @GET
  @Operation(hidden = true)
  public Uni<String> letters(
      @QueryParam("text") @DefaultValue("") String text,
      @QueryParam("topic") @DefaultValue("") String topic) {
    Viewer me = viewers.viewer();
    return letters
        .letters(Forms.said(text), Forms.said(topic))
        .chain(found -> Views.deadLetters(me, found, text, topic).createUni());
  }
}
