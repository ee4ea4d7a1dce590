package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.model.Takeover;
import io.stoker.dispatcher.model.Takeover.Claimed;
import io.stoker.dispatcher.model.Takeover.Look;
import io.stoker.dispatcher.placement.Reservation;
import io.stoker.dispatcher.store.Fleet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * The fleet's row: who schedules, until it gives the row up or others see that it does not renew
 * it. {@code held_until} is a number that changes with each renewal; only dispatchers of earlier
 * builds, and who has just started, take it for a time. {@code shown} is what the clock showed at
 * the last claim; who takes the fleet over leaves it where the clock shows less, until it has
 * looked at the clock itself.
 */
public record FleetTable(StatelessSession session) implements Fleet {
  private static final String CLAIM =
      """
      with claimed as (
        insert into fleet as f (name, epoch, scheduler, held_until, shown)
        select :name, 1, :replica, %1$s + :term, %1$s
        where not exists (select 1 from fleet o where o.name <> :name)
        on conflict (name) do update set
          epoch = f.epoch + case when f.scheduler = :replica then 0 else 1 end,
          scheduler = :replica,
          held_until = %1$s + :term,
          shown = case when f.scheduler = :replica then %1$s else greatest(f.shown, %1$s) end
        where f.scheduler = :replica or f.held_until = 0
          or (f.epoch = :lapsed and f.held_until = :renewed) or (:started and f.held_until < %1$s)
        returning epoch, held_until)
      select :name, true, c.epoch, c.held_until from claimed c
      union all
      select * from (
        select f.name, false, f.epoch, f.held_until from fleet f
        where not exists (select 1 from claimed)
        order by f.name = :name limit 1) seen
      """
          .formatted(Queries.CLOCK);

  /** Of no claim. */
  private static final Claimed NONE = new Claimed(-1, -1);

  @Override
  public Uni<Boolean> restoring() {
    return RestorationTable.open(session);
  }

  /**
   * Claims the fleet, or renews the claim.
   *
   * @param termMs how long it holds without being renewed
   * @param before what the replica has seen of it until now
   * @param nowMs on the clock of that
   */
  @Override
  public Uni<Look> claim(String fleet, String replica, long termMs, Takeover before, long nowMs) {
    Claimed lapsed = before.lapsed(nowMs, termMs).orElse(NONE);
    return Queries.single(
        session,
        CLAIM,
        Map.of(
            "name",
            fleet,
            "replica",
            replica,
            "term",
            termMs,
            "lapsed",
            lapsed.epoch(),
            "renewed",
            lapsed.renewed(),
            "started",
            before.started()),
        row -> new Look(row.text(), row.flag(), new Claimed(row.bigint(), row.bigint())));
  }

  /** Forgets fleets that nobody schedules any more, as they are left behind when one is renamed. */
  @Override
  public Uni<Void> forgetOthers(String fleet) {
    return Queries.execute(
            session,
            "delete from fleet where name <> :name and held_until < " + Queries.CLOCK,
            Map.of("name", fleet))
        .replaceWithVoid();
  }

  @Override
  public Uni<OptionalLong> lock(String fleet, long epoch) {
    return Queries.list(
            session,
            "select "
                + Queries.CLOCK
                + " from fleet f where f.name = :name and f.epoch = :epoch for update",
            Map.of("name", fleet, "epoch", epoch),
            Row::bigint)
        .map(FleetTable::first);
  }

  @Override
  public Uni<Boolean> tryLock(String fleet, long epoch) {
    return Queries.list(
            session,
            "select 1 from fleet f where f.name = :name and f.epoch = :epoch for update skip"
                + " locked",
            Map.of("name", fleet, "epoch", epoch),
            Row::integer)
        .map(rows -> !rows.isEmpty());
  }

  @Override
  public Uni<Void> announce(String fleet, Collection<String> requests) {
    return Queries.execute(
            session,
            "update fleet set announced = cast(:requests as text[]) where name = :name",
            Map.of("name", fleet, "requests", Queries.array(requests)))
        .replaceWithVoid();
  }

  /**
   * A host that is kept free for a job, as it is noted.
   *
   * @param since ms since 1970
   */
  private record Noted(String job, String queue, List<String> hosts, long since) {}

  /**
   * A host that is kept free.
   *
   * @param request that started the job
   * @param shape what the job takes on it
   * @param since ms since 1970
   */
  public record Reserved(
      String host, String request, String job, String queue, Shape shape, long since) {}

  @Override
  public Uni<Void> reserve(String fleet, long epoch, List<Reservation> claims) {
    List<Noted> noted =
        claims.stream()
            .filter(claim -> !claim.hosts().isEmpty())
            .map(claim -> new Noted(claim.job(), claim.queue(), claim.hosts(), claim.since()))
            .toList();
    return Queries.execute(
            session,
            "update fleet set reserved = :reserved, reserved_epoch = :epoch where name = :name",
            Map.of("name", fleet, "epoch", epoch, "reserved", Json.text(noted)))
        .replaceWithVoid();
  }

  private static final String RESERVED =
      """
      select h.host, j.first_request, j.id, n.noted ->> 'queue', j.shape,
        cast(n.noted ->> 'since' as bigint)
      from fleet f
      cross join lateral jsonb_array_elements(cast(f.reserved as jsonb)) n(noted)
      cross join lateral jsonb_array_elements_text(n.noted -> 'hosts') h(host)
      join job j on j.id = n.noted ->> 'job'
      where f.reserved_epoch = f.epoch
      order by 6, 3
      """;

  /** What is kept free for whom, as far as who schedules has noted it. */
  public static Uni<List<Reserved>> reserved(StatelessSession session) {
    return Queries.list(
        session,
        RESERVED,
        Map.of(),
        row ->
            new Reserved(
                row.text(),
                row.text(),
                row.text(),
                row.text(),
                Shape.parse(row.text()),
                row.bigint()));
  }

  /** Owes what the holder before may have died of publishing. */
  @Override
  public Uni<Void> oweAnnounced(String fleet) {
    return Queries.list(
            session,
            "select unnest(f.announced) from fleet f where f.name = :name",
            Map.of("name", fleet),
            Row::text)
        .chain(requests -> new DueStatusTable(session).owe(requests));
  }

  /** Gives the fleet up, so that another replica need not wait. */
  @Override
  public Uni<Integer> release(String fleet, String replica) {
    return Queries.execute(
        session,
        "update fleet set held_until = 0 where name = :name and scheduler = :replica",
        Map.of("name", fleet, "replica", replica));
  }

  private static OptionalLong first(List<Long> epochs) {
    return epochs.isEmpty() ? OptionalLong.empty() : OptionalLong.of(epochs.get(0));
  }
}
