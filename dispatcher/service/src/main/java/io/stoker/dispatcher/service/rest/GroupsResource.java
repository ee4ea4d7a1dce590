package io.stoker.dispatcher.service.rest;

import io.smallrye.mutiny.Uni;
import io.stoker.common.message.ControlMessage;
import io.stoker.common.request.JobRequest;
import io.stoker.common.request.RequestRefused;
import io.stoker.dispatcher.coordinator.experiment.ExperimentLifecycle;
import io.stoker.dispatcher.experiment.Best;
import io.stoker.dispatcher.experiment.ExperimentRules;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Reruns;
import io.stoker.dispatcher.service.access.Caller;
import io.stoker.dispatcher.service.postgres.ExperimentTable;
import io.stoker.dispatcher.service.postgres.GroupBudgetTable;
import io.stoker.dispatcher.service.postgres.GroupReport;
import io.stoker.dispatcher.service.postgres.GroupReport.Entry;
import io.stoker.dispatcher.service.postgres.GroupTable;
import io.stoker.dispatcher.service.postgres.GroupTable.Counts;
import io.stoker.dispatcher.service.postgres.RequestTable;
import jakarta.annotation.security.RolesAllowed;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.RequestBody;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Shows groups, reports on them, makes and closes them. */
@RolesAllowed(Rights.READ)
@Path("/groups")
@Produces(MediaType.APPLICATION_JSON)
public class GroupsResource {
  static final int MOST_RETRIES = 999_999_999;

  private static final int MOST = 1000;
  private static final Pattern LIMIT = Pattern.compile("[0-9]{1,9}");
  private static final Pattern CURSOR = Pattern.compile("([0-9]{1,18})[.](.{1,128})");

  private final Reads reads;
  private final Outbox outbox;
  private final Rights rights;
  private final ExperimentLifecycle experiments;

  GroupsResource(Reads reads, Outbox outbox, ExperimentLifecycle experiments, Rights rights) {
    this.rights = rights;
    this.reads = reads;
    this.outbox = outbox;
    this.experiments = experiments;
  }

  /**
   * A page of groups, in order of name.
   *
   * @param next what to give as {@code after} for the next page; absent on the last
   */
  public record Groups(List<GroupView> groups, String next) {}

  /** What a change is answered with. */
  @Schema(name = "GroupTold")
  public record Told(String group) {}

  /** The id of the request that runs again what was best. */
  public record Rerun(String id) {}

  /**
   * A page of a report.
   *
   * @param requests in order of arrival
   * @param next what to give as {@code after} for the next page; absent on the last
   */
  public record Report(GroupView group, List<Reported> requests, String next) {}

  @GET
  @Operation(summary = "Groups and how far they are, in order of name")
  public Uni<Groups> groups(@QueryParam("after") @DefaultValue("") String after) {
    return reads.ask(
        session ->
            GroupTable.all(session, after, MOST)
                .chain(all -> views(session, all))
                .map(
                    views ->
                        new Groups(views, views.size() < MOST ? null : views.getLast().group())));
  }

  private static Uni<List<GroupView>> views(StatelessSession session, List<Counts> all) {
    return GroupTable.open(session, all.stream().map(Counts::group).toList())
        .map(open -> all.stream().map(counts -> view(counts, open)).toList());
  }

  private static GroupView view(Counts counts, Map<String, Map<String, Long>> open) {
    return GroupView.of(counts, open.getOrDefault(counts.group(), Map.of()));
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
                .chain(counts -> views(session, List.of(counts)).map(List::getFirst))
                .chain(view -> withPlan(session, view))
                .chain(
                    view ->
                        GroupBudgetTable.of(session, group)
                            .map(budget -> budget.map(view::with).orElse(view))));
  }

  private static Uni<GroupView> withPlan(StatelessSession session, GroupView view) {
    return new ExperimentTable(session)
        .find(view.group())
        .chain(
            row ->
                row.isEmpty()
                    ? Uni.createFrom().item(view)
                    : new ExperimentTable(session)
                        .best(view.group(), row.get().plan().objective())
                        .map(best -> view.with(ExperimentView.of(row.get(), best))));
  }

  @GET
  @Path("/{group}/report")
  @Operation(summary = "A group and its requests with results and times, in order of arrival")
  @APIResponse(
      responseCode = "200",
      content = @Content(schema = @Schema(implementation = Report.class)))
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
                    .map(page -> report(view, page)));
  }

  private static Report report(GroupView view, GroupReport.Page page) {
    List<Entry> entries = page.entries();
    String next =
        !page.more() || entries.isEmpty()
            ? null
            : entries.getLast().seq() + "." + entries.getLast().status().id();
    return new Report(view, entries.stream().map(Reported::of).toList(), next);
  }

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Path("/{group}")
  @Operation(summary = "Make a group known before a request names it, with a plan or without")
  @RequestBody(
      content =
          @Content(
              mediaType = MediaType.APPLICATION_JSON,
              schema = @Schema(implementation = PostedGroup.class)))
  @APIResponse(
      responseCode = "201",
      description = "made with its plan; the answer has its name",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(
      responseCode = "202",
      description = "it will be",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "400", description = "a field is wrong")
  public Uni<Response> create(@PathParam("group") String group, byte[] body) {
    PostedGroup posted = PostedGroup.read(body);
    if (!posted.hasPlan()) {
      return tell(rights.caller(), group, "create");
    }
    checkName(group);
    String id = posted.id() == null ? UUID.randomUUID().toString() : posted.id();
    Plan plan = posted.plan(group);
    return rights
        .checkGroups(rights.caller(), Optional.ofNullable(posted.after()).stream().toList())
        .chain(() -> reads.answer(experiments.create(id, group, plan, true)))
        .map(
            made ->
                made.orElseThrow(
                    () -> ApiException.badRequest("after", posted.after(), "no circle of groups")))
        .map(name -> Response.status(Response.Status.CREATED).entity(new Told(name)).build());
  }

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Path("/{group}/stop")
  @Operation(summary = "End all of a group, and what arrives later")
  @APIResponse(
      responseCode = "202",
      description = "it will be",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "404", description = "no request names it")
  public Uni<Response> stop(@PathParam("group") String group) {
    Caller caller = rights.caller();
    return group(group)
        .call(() -> rights.changeGroup(caller, group))
        .chain(() -> tell(caller, group, "stop"));
  }

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Path("/{group}/rerun-best")
  @Operation(summary = "Run the configuration with the best score once more")
  @APIResponse(
      responseCode = "202",
      description = "posted; the answer has the new id",
      content = @Content(schema = @Schema(implementation = Rerun.class)))
  @APIResponse(responseCode = "404", description = "no such group, or none of it has a score")
  public Uni<Response> rerunBest(@PathParam("group") String group) {
    Caller caller = rights.caller();
    return group(group)
        .call(() -> rights.changeGroup(caller, group))
        .chain(() -> reads.ask(session -> best(session, group)))
        .map(best -> best.orElseThrow(() -> ApiException.noScore(group)))
        .chain(
            best ->
                reads
                    .ask(session -> new RequestTable(session).specs(List.of(best.id())))
                    .map(specs -> rerun(best.id(), specs.get(best.id()))))
        .chain(request -> outbox.post(caller, List.of(request)).replaceWith(request.id()))
        .map(id -> Response.accepted(new Rerun(id)).build());
  }

  private static Uni<Optional<Best>> best(StatelessSession session, String group) {
    return new ExperimentTable(session)
        .find(group)
        .map(row -> row.map(one -> one.plan().objective()).orElse(Objective.MAX))
        .chain(objective -> new ExperimentTable(session).best(group, objective));
  }

  private static JobRequest rerun(String id, String spec) {
    try {
      return Reruns.of(id, spec, UUID.randomUUID().toString());
    } catch (RequestRefused e) {
      throw ApiException.refused(e);
    }
  }

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Path("/{group}/retries")
  @Operation(summary = "Limit the retries that all jobs of a group may use together")
  @APIResponse(
      responseCode = "202",
      description = "it will be",
      content = @Content(schema = @Schema(implementation = Told.class)))
  @APIResponse(responseCode = "400", description = "the limit is wrong")
  public Uni<Response> limitRetries(
      @PathParam("group") String group, @QueryParam("limit") @DefaultValue("") String limit) {
    checkName(group);
    if (!LIMIT.matcher(limit).matches()) {
      throw ApiException.badRequest("limit", limit, "0 to " + MOST_RETRIES);
    }
    String id = UUID.randomUUID().toString();
    long retries = Long.parseLong(limit);
    Caller caller = rights.caller();
    return rights
        .changeGroup(caller, group)
        .chain(
            () ->
                outbox.tell(
                    caller,
                    group,
                    new ControlMessage.Group(id, group, "limit", null, null, retries)))
        .map(done -> Response.accepted(new Told(group)).build());
  }

  @POST
  @RolesAllowed(Rights.SUBMIT)
  @Path("/{group}/close")
  @Operation(summary = "Say that no more is to come: it has ended when all of it has")
  @APIResponse(
      responseCode = "202",
      description = "it will be",
      content = @Content(schema = @Schema(implementation = Told.class)))
  public Uni<Response> close(@PathParam("group") String group) {
    Caller caller = rights.caller();
    return rights.changeGroup(caller, group).chain(() -> tell(caller, group, "close"));
  }

  private static void checkName(String group) {
    if (group.length() > ExperimentRules.LONGEST) {
      throw ApiException.badRequest("group", group, "1 to 128 characters");
    }
  }

  private Uni<Response> tell(Caller caller, String group, String action) {
    checkName(group);
    String id = UUID.randomUUID().toString();
    return outbox
        .tell(caller, group, new ControlMessage.Group(id, group, action))
        .map(done -> Response.accepted(new Told(group)).build());
  }
}
