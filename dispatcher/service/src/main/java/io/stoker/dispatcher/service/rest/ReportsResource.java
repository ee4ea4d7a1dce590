package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.dispatcher.report.CsvReport;
import io.stoker.dispatcher.report.GroupFacts;
import io.stoker.dispatcher.report.HtmlReport;
import io.stoker.dispatcher.service.report.Reports;
import io.stoker.dispatcher.service.runtime.Aside;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Reports on groups as files: a page for people, and tables for programs. */
@RolesAllowed(Rights.READ)
@Path("/groups/{group}")
public class ReportsResource {
  /** Of a larger group the first ones are reported: {@code /report} has all, page by page. */
  public static final int MOST = 20_000;

  private final Reads reads;

  ReportsResource(Reads reads) {
    this.reads = reads;
  }

  @GET
  @Path("/report.{kind: html|json|csv}")
  @Operation(summary = "A group's report as a page that needs nothing else, as JSON, or as CSV")
  @APIResponse(
      responseCode = "200",
      content = {
        @Content(mediaType = "text/html", schema = @Schema(implementation = String.class)),
        @Content(mediaType = "text/csv", schema = @Schema(implementation = String.class)),
        @Content(mediaType = "application/json", schema = @Schema(implementation = Object.class))
      })
  @APIResponse(responseCode = "404", description = "no request names it")
  public Uni<Response> reportAs(@PathParam("group") String group, @PathParam("kind") String kind) {
    return facts(group, MOST).chain(facts -> Aside.run(() -> written(facts, kind)));
  }

  /**
   * What is reported of a group; fails with 404 if nobody knows it.
   *
   * @param most requests that are looked at
   */
  public Uni<GroupFacts> facts(String group, int most) {
    AtomicBoolean over = new AtomicBoolean();
    return reads
        .ask(session -> Reports.of(session, group, most, () -> !over.get()))
        .onTermination()
        .invoke(() -> over.set(true))
        .map(found -> found.orElseThrow(() -> ApiException.unknownGroup(group)));
  }

  private static Response written(GroupFacts facts, String kind) {
    return switch (kind) {
      case "html" -> answer(utf8(HtmlReport.of(facts)), "text/html;charset=UTF-8");
      case "csv" -> answer(utf8(CsvReport.of(facts)), "text/csv;charset=UTF-8");
      default -> answer(Json.bytes(facts), "application/json;charset=UTF-8");
    };
  }

  private static Response answer(byte[] body, String type) {
    return Response.ok(body, type).build();
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
