package io.stoker.dispatcher.store;

import io.smallrye.mutiny.Uni;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/**
 * Who schedules a fleet: the row's holder, until it lets the row expire on the database's clock.
 */
public final class FleetTable {
  private static final String CLAIM =
      "insert into fleet as f (name, epoch, scheduler, held_until) values (:name, 1, :replica, "
          + Queries.CLOCK
          + " + :term) on conflict (name) do update set epoch = f.epoch + case when f.scheduler ="
          + " :replica then 0 else 1 end, scheduler = :replica, held_until = "
          + Queries.CLOCK
          + " + :term where f.scheduler = :replica or f.held_until < "
          + Queries.CLOCK
          + " returning f.epoch";

  private FleetTable() {}

  /**
   * Claims the fleet, or renews the claim.
   *
   * @param termMs how long it holds without being renewed
   * @return the fleet's epoch if it is this replica's now
   */
  public static Uni<OptionalLong> claim(
      StatelessSession session, String fleet, String replica, long termMs) {
    return Queries.list(
            session, CLAIM, Map.of("name", fleet, "replica", replica, "term", termMs), Row::bigint)
        .map(FleetTable::first);
  }

  /**
   * Locks the fleet's row.
   *
   * @return the database's clock if the epoch is still this one
   */
  public static Uni<OptionalLong> lock(StatelessSession session, String fleet, long epoch) {
    return Queries.list(
            session,
            "select "
                + Queries.CLOCK
                + " from fleet f where f.name = :name and f.epoch = :epoch for update",
            Map.of("name", fleet, "epoch", epoch),
            Row::bigint)
        .map(FleetTable::first);
  }

  /**
   * Notes whose statuses the holder is about to publish, in place of those that it has published.
   */
  public static Uni<Void> announce(
      StatelessSession session, String fleet, Collection<String> requests) {
    return Queries.execute(
            session,
            "update fleet set announced = cast(:requests as text[]) where name = :name",
            Map.of("name", fleet, "requests", Queries.array(requests)))
        .replaceWithVoid();
  }

  /** Owes what the holder before may have died of publishing. */
  public static Uni<Void> oweAnnounced(StatelessSession session, String fleet) {
    return Queries.list(
            session,
            "select unnest(f.announced) from fleet f where f.name = :name",
            Map.of("name", fleet),
            Row::text)
        .chain(requests -> DueStatusTable.owe(session, requests));
  }

  /** Gives the fleet up, so that another replica need not wait. */
  public static Uni<Integer> release(StatelessSession session, String fleet, String replica) {
    return Queries.execute(
        session,
        "update fleet set held_until = 0 where name = :name and scheduler = :replica",
        Map.of("name", fleet, "replica", replica));
  }

  private static OptionalLong first(List<Long> epochs) {
    return epochs.isEmpty() ? OptionalLong.empty() : OptionalLong.of(epochs.get(0));
  }
}
