package io.stoker.dispatcher.service.page;

import io.smallrye.health.SmallRyeHealth;
import io.smallrye.health.SmallRyeHealthReporter;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.page.Now.Trouble;
import io.stoker.dispatcher.service.rest.HostsResource;
import io.stoker.dispatcher.service.rest.ListResource;
import io.stoker.dispatcher.service.rest.QueuesResource;
import io.stoker.dispatcher.service.rest.Rights;
import io.stoker.dispatcher.service.rest.SetAsideResource;
import jakarta.annotation.security.RolesAllowed;
import jakarta.json.JsonObject;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;

/** Shows at a glance whether anything is wrong. */
@RolesAllowed(Rights.READ)
@Path("/")
public class NowPage {
  private static final Duration BACK = Duration.ofDays(1);
  private static final int MOST_FAILURES = 1000;
  private static final int MOST_RUNNING = 15;

  private final HostsResource hosts;
  private final QueuesResource queues;
  private final ListResource lists;
  private final SetAsideResource asides;
  private final SmallRyeHealthReporter health;
  private final Viewers viewers;

  NowPage(
      HostsResource hosts,
      QueuesResource queues,
      ListResource lists,
      SetAsideResource asides,
      SmallRyeHealthReporter health,
      Viewers viewers) {
    this.asides = asides;
    this.hosts = hosts;
    this.queues = queues;
    this.lists = lists;
    this.health = health;
    this.viewers = viewers;
  }

  @GET
  @Produces(MediaType.APPLICATION_JSON)
  @Operation(summary = "Whether anything is wrong, what runs, and what waits")
  public Uni<Now> now() {
    String since = Instant.now().minus(BACK).truncatedTo(ChronoUnit.MINUTES).toString();
    return Uni.combine()
        .all()
        .unis(
            hosts.hosts(),
            queues.queues(),
            Jobs.of(lists, "FAILED", null, since, MOST_FAILURES),
            Jobs.of(lists, "RUNNING", null, null, MOST_RUNNING),
            health.getReadinessAsync(),
            setAside())
        .with(
            (fleet, line, failed, running, ready, aside) ->
                Now.of(
                    fleet,
                    line.queues(),
                    failed,
                    running,
                    Stream.concat(unready(ready).stream(), aside.stream()).toList(),
                    since));
  }

  @GET
  @Produces(Html.TYPE)
  @Operation(hidden = true)
  public Uni<String> page() {
    Viewer me = viewers.viewer();
    return now().chain(now -> Views.now(me, now).createUni());
  }

  /** What dispatchers fail for each time; not for who may see some queues alone. */
  private Uni<List<Trouble>> setAside() {
    if (!viewers.seesAll()) {
      return Uni.createFrom().item(List.of());
    }
    return asides
        .setAside()
        .map(
            all ->
                all.items().stream()
                    .map(
                        one ->
                            new Trouble(
                                null,
                                "set aside",
                                "%s of %s: %s".formatted(one.step(), one.item(), one.reason())))
                    .toList());
  }

  private static List<Trouble> unready(SmallRyeHealth ready) {
    return ready.getPayload().getJsonArray("checks").getValuesAs(JsonObject.class).stream()
        .filter(check -> !"UP".equals(check.getString("status")))
        .map(
            check ->
                new Trouble(
                    null,
                    check.getString("name"),
                    check.containsKey("data") ? check.get("data").toString() : ""))
        .toList();
  }
}
