package io.stoker.dispatcher.service.page;

import io.smallrye.mutiny.Multi;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.PriorityResource;
import io.stoker.dispatcher.service.rest.RequestsResource;
import io.stoker.dispatcher.service.rest.RetryResource;
import io.stoker.dispatcher.service.rest.Rights;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.FormParam;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Does to many requests what people have seen listed and agreed to: to these, and to no others. */
@RolesAllowed(Rights.SUBMIT)
@Path("/page/many/{action}")
@Produces(Html.TYPE)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
public class ManyForms {
  private static final int TOGETHER = 16;

  private final Viewers viewers;
  private final RequestsResource requests;
  private final RetryResource retries;
  private final PriorityResource priorities;

  ManyForms(
      Viewers viewers,
      RequestsResource requests,
      RetryResource retries,
      PriorityResource priorities) {
    this.viewers = viewers;
    this.requests = requests;
    this.retries = retries;
    this.priorities = priorities;
  }

  /**
   * What came of it.
   *
   * @param action in one word
   * @param told how many were told
   * @param refused what was refused, by why, with how many
   */
  public record Done(String action, long told, Map<String, Long> refused) {}

  /**
   * @param ids with spaces between them
   */
  @POST
  @Operation(hidden = true)
  public Uni<String> many(
      @PathParam("action") String action,
      @FormParam("key") String key,
      @FormParam("ids") String ids,
      @FormParam("reason") String reason,
      @FormParam("priority") String priority) {
    Viewer me = viewers.viewer();
    viewers.check(key);
    Function<String, Uni<Response>> each =
        switch (action) {
          case "cancel" -> id -> requests.cancel(id, Forms.said(reason));
          case "retry" -> id -> retries.retry(id, null);
          case "priority" -> {
            byte[] asked = Forms.priority(priority);
            yield id -> priorities.priority(id, asked);
          }
          default -> throw ApiException.notAllowed("action", action, "cancel, retry or priority");
        };
    // Who calls is asked by each of them before anything is waited for.
    List<Uni<String>> all =
        Arrays.stream((ids == null ? "" : ids).split(" "))
            .filter(id -> !id.isEmpty())
            .limit(ManyView.MOST)
            .map(each)
            .map(
                told ->
                    told.replaceWith("")
                        .onFailure(ApiException.class)
                        .recoverWithItem(ManyForms::why))
            .toList();
    return Multi.createFrom()
        .iterable(all)
        .onItem()
        .transformToUni(Function.identity())
        .merge(TOGETHER)
        .collect()
        .asList()
        .map(answers -> done(action, answers))
        .chain(done -> Views.done(me, done).createUni());
  }

  private static String why(Throwable refused) {
    return ((ApiException) refused).error().title();
  }

  private static Done done(String action, List<String> answers) {
    Map<String, Long> refused =
        answers.stream()
            .filter(why -> !why.isEmpty())
            .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
    return new Done(action, answers.stream().filter(String::isEmpty).count(), refused);
  }
}
