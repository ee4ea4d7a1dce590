package io.stoker.dispatcher.service.page;

import io.smallrye.health.SmallRyeHealth;
import io.smallrye.health.SmallRyeHealthReporter;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.service.page.Now.Trouble;
import io.stoker.dispatcher.service.redis.FastMemory;
import io.stoker.dispatcher.service.rest.SetAsideResource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;

/** Finds what is wrong, but for hosts. */
@ApplicationScoped
class Troubles {
  /** No readiness asks for it, since all goes on without. */
  private static final List<Trouble> REDIS_AWAY =
      List.of(
          new Trouble(
              null,
              "Redis",
              "Redis is away: it does not answer. Nothing is lost, and statuses are read from"
                  + " Postgres"));

  private final SetAsideResource asides;
  private final SmallRyeHealthReporter health;
  private final FastMemory redis;
  private final Viewers viewers;

  Troubles(
      SetAsideResource asides, SmallRyeHealthReporter health, FastMemory redis, Viewers viewers) {
    this.asides = asides;
    this.health = health;
    this.redis = redis;
    this.viewers = viewers;
  }

  Uni<List<Trouble>> all() {
    return with(setAside());
  }

  /** Where it does not answer who is asked for what is set aside. */
  Uni<List<Trouble>> withoutPostgres() {
    return with(Uni.createFrom().item(List.of()));
  }

  private Uni<List<Trouble>> with(Uni<List<Trouble>> setAside) {
    return Uni.combine()
        .all()
        .unis(health.getReadinessAsync(), redis.away(), setAside)
        .with(
            (ready, away, aside) ->
                Stream.of(unready(ready), away ? REDIS_AWAY : List.<Trouble>of(), aside)
                    .flatMap(List::stream)
                    .toList());
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
