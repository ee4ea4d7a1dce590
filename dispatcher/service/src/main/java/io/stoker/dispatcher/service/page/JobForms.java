package io.stoker.dispatcher.service.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.json.MalformedJson;
import io.stoker.dispatcher.service.rest.ApiException;
import io.stoker.dispatcher.service.rest.FinishResource;
import io.stoker.dispatcher.service.rest.ForgetResource;
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
import java.util.Map;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Takes what people send of a request by the page's forms, and has REST do it. */
@RolesAllowed(Rights.SUBMIT)
@Path("/page/requests/{id}/{action}")
@Produces(Html.TYPE)
@Consumes(MediaType.APPLICATION_FORM_URLENCODED)
public class JobForms {
  private final Viewers viewers;
  private final RequestsResource requests;
  private final RetryResource retries;
  private final PriorityResource priorities;
  private final ForgetResource results;
  private final FinishResource answers;

  JobForms(
      Viewers viewers,
      RequestsResource requests,
      RetryResource retries,
      PriorityResource priorities,
      ForgetResource results,
      FinishResource answers) {
    this.viewers = viewers;
    this.requests = requests;
    this.retries = retries;
    this.priorities = priorities;
    this.results = results;
    this.answers = answers;
  }

  /**
   * @param result of what a person has done, JSON
   */
  @POST
  @Operation(hidden = true)
  public Uni<Response> request(
      @PathParam("id") String id,
      @PathParam("action") String action,
      @FormParam("key") String key,
      @FormParam("reason") String reason,
      @FormParam("priority") String priority,
      @FormParam("result") String result) {
    viewers.check(key);
    Uni<Response> done =
        switch (action) {
          case "cancel" -> requests.cancel(id, Forms.said(reason));
          case "retry" -> retries.retry(id, null);
          case "priority" -> priorities.priority(id, Forms.priority(priority));
          case "forget" -> results.forget(id);
          case "finish" -> answers.finish(id, Json.bytes(Map.of("result", read(result))));
          case "fail" ->
              answers.finish(id, Json.bytes(Map.of("failed", reason == null ? "" : reason)));
          default ->
              throw ApiException.notAllowed(
                  "action", action, "cancel, retry, priority, forget, finish or fail");
        };
    return done.map(told -> Forms.see("/requests/" + Texts.path(id) + Forms.TOLD));
  }

  private static JsonNode read(String result) {
    String text = result == null ? "" : result;
    try {
      return Json.read(text);
    } catch (MalformedJson e) {
      throw ApiException.badRequest("result", text, "JSON, such as 0.75 or {\"accuracy\": 0.75}");
    }
  }
}
