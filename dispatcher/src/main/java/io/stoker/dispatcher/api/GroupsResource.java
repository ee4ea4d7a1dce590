package io.stoker.dispatcher.api;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.store.GroupReport;
import io.stoker.dispatcher.store.GroupReport.Entry;
import io.stoker.dispatcher.store.GroupTable;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;

/** Shows groups, reports on them, makes and closes them. */
@Path("/groups")
@Produces(MediaType.APPLICATION_JSON)
public class GroupsResource {
  private static final int MOST = 1000;
  private static final Pattern CURSOR = Pattern.compile("([0-9]{1,18})[.](.{1,128})");

  private final Reads reads;
  private final Outbox outbox;

  GroupsResource(Reads reads, Outbox outbox) {
    this.reads = reads;
    this.outbox = outbox;
  }

  /**
   * A page of groups, in order of name.
   *
   * @param next what to give as {@code after} for the next page; absent on the last
   */
  public record Groups(List<GroupView> groups, String next) {}

  /** What a change is answered with. */
  public record Told(String group) {}

  /**
   * A page of a report.
   *
   * @param requests in order of arrival
   * @param next what to give as {@code after} for the next page; absent on the last
   */
  public record Report(GroupView group, List<Reported> requests, String next) {}

  /**
   * A request of a report.
   *
   * @param time from its arrival to its job's end, {@code HH:MM:SS.mmm}
   */
  public record Reported(
      String id,
      RequestState state,
      Code code,
      String reason,
      Double score,
      JsonNode result,
      String host,
      Integer attempt,
      Integer exitCode,
      boolean shared,
      boolean cached,
      String arrivedAt,
      String endedAt,
      String time) {

    static Reported of(Entry entry) {
      var status = entry.status();
      // A result from before its arrival took it no time.
      Long end =
          entry.endedAt() == null || !status.state().terminal()
              ? null
              : Long.valueOf(Math.max(entry.endedAt(), entry.arrivedAt()));
      return new Reported(
          status.id(),
          status.state(),
          status.code(),
          status.reason(),
          status.score(),
          status.result(),
          status.host(),
          status.attempt(),
          status.exitCode(),
          status.shared(),
          status.cached(),
          Instant.ofEpochMilli(entry.arrivedAt()).toString(),
          end == null ? null : Instant.ofEpochMilli(end).toString(),
          end == null ? null : GroupView.clock(end - entry.arrivedAt()));
    }
  }

  @GET
  @Operation(summary = "Groups and how far they are, in order of name")
  public Uni<Groups> groups(@QueryParam("after") @DefaultValue("") String after) {
    return reads
        .ask(session -> GroupTable.all(session, after, MOST))
        .map(
            all ->
                new Groups(
                    all.stream().map(counts -> GroupView.of(counts, Map.of())).toList(),
                    all.size() < MOST ? null : all.getLast().group()));
  }

  @GET
  @Path("/{group}")
  @Operation(summary = "How far a group is")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = GroupView.class)))
  @APIResponse(responseCode = "404", description = "no request names it")
  public Uni<GroupView> group(@PathParam("group") String group) {
    return reads.ask(
        session ->
            GroupTable.counts(session, group)
                .map(found -> found.orElseThrow(() -> ApiException.unknownGroup(group)))
                .chain(
                    counts ->
                        GroupTable.open(session, group).map(open -> GroupView.of(counts, open))));
  }

  @GET
  @Path("/{group}/report")
  @Operation(summary = "A group and its requests with results and times, in order of arrival")
  @APIResponse(responseCode = "404", description = "no request names it")
  public Uni<Report> report(
      @PathParam("group") String group, @QueryParam("after") @DefaultValue("0.0") String after) {
    Matcher place = CURSOR.matcher(after);
    if (!place.matches()) {
      throw ApiException.badRequest("after", after, "what the page before gave as next");
    }
    long seq = Long.parseLong(place.group(1));
    return group(group)
        .chain(
            view ->
                reads
                    .ask(session -> GroupReport.page(session, group, seq, place.group(2), MOST))
                    .map(entries -> report(view, entries)));
  }

  private static Report report(GroupView view, List<Entry> entries) {
    String next =
        entries.size() < MOST
            ? null
            : entries.getLast().seq() + "." + entries.getLast().status().id();
    return new Report(view, entries.stream().map(Reported::of).toList(), next);
  }

  @POST
  @Path("/{group}")
  @Operation(summary = "Make a group known before a request names it")
  @APIResponse(responseCode = "202", description = "it will be")
  public Uni<Response> create(@PathParam("group") String group) {
    return tell(group, "create");
  }

  @POST
  @Path("/{group}/close")
  @Operation(summary = "Say that no more is to come: it has ended when all of it has")
  @APIResponse(responseCode = "202", description = "it will be")
  public Uni<Response> close(@PathParam("group") String group) {
    return tell(group, "close");
  }

  private Uni<Response> tell(String group, String action) {
    if (group.length() > 128) {
      throw ApiException.badRequest("group", group, "1 to 128 characters");
    }
    String id = UUID.randomUUID().toString();
    return outbox
        .tell(group, new ControlMessage.Group(id, group, action))
        .map(done -> Response.accepted(new Told(group)).build());
  }
}
