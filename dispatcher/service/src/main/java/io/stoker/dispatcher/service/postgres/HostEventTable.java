package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.HostEvent;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of events of hosts. */
public final class HostEventTable {
  /** An event with its key. */
  private record Keyed(String host, long at, int n, HostEvent event) {}

  private static final Batch<Keyed> ROWS =
      new Batch<Keyed>("host_event")
          .key("host", "text", Keyed::host)
          .key("at", "bigint", Keyed::at)
          .key("n", "integer", Keyed::n)
          .column("what", "text", row -> row.event().what())
          .column("detail", "text", row -> row.event().detail());

  private HostEventTable() {}

  /** Two transactions that change one host in one ms leave the first one's events. */
  static Write insert(String host, List<HostEvent> events, long at) {
    List<Keyed> rows =
        IntStream.range(0, events.size())
            .mapToObj(n -> new Keyed(host, at, n, events.get(n)))
            .toList();
    return ROWS.insert(rows, "do nothing");
  }

  /** After these were added. */
  static Uni<Void> keepNewest(StatelessSession session, String host, List<HostEvent> added) {
    return added.isEmpty()
        ? Uni.createFrom().voidItem()
        : Queries.execute(
                session,
                "delete from host_event where host = :host and (at, n) < (select e.at, e.n from"
                    + " host_event e where e.host = :host order by e.at desc, e.n desc offset :kept"
                    + " limit 1)",
                Map.of("host", host, "kept", HostEvent.KEPT - 1))
            .replaceWithVoid();
  }

  /**
   * An event that is kept.
   *
   * @param at ms since 1970
   * @param what null of a kind that only a later build knows
   */
  public record Kept(long at, HostEvent.What what, String detail) {}

  /** Those of a host, the newest first. */
  public static Uni<List<Kept>> of(StatelessSession session, String host) {
    return Queries.list(
        session,
        "select e.at, e.what, e.detail from host_event e where e.host = :host"
            + " order by e.at desc, e.n desc",
        Map.of("host", host),
        row -> new Kept(row.bigint(), row.knownConstant(HostEvent.What.class), row.text()));
  }
}
