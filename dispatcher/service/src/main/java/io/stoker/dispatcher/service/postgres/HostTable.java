package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.dispatcher.ledger.Holder;
import io.stoker.dispatcher.ledger.HostEvent;
import io.stoker.dispatcher.ledger.HostKey;
import io.stoker.dispatcher.ledger.HostRow;
import io.stoker.dispatcher.ledger.HostSettings;
import io.stoker.dispatcher.ledger.Restored;
import io.stoker.dispatcher.store.Hosts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of hosts. */
public record HostTable(StatelessSession session) implements Hosts {
  private static final String SELECT =
      "select h.id, h.fleet, h.epoch, h.nonce, h.journal, h.version, h.state, h.cordoned, h.reason,"
          + " h.resources, h.seen_at, h.settings, h.drain, h.losses,"
          + " h.holder, h.restored, h.key from host h ";
  private static final HostResources NOTHING = new HostResources(List.of(), 0, Map.of(), null);

  private static final Batch<HostRow> ROWS =
      new Batch<HostRow>("host")
          .key("id", "text", HostRow::id)
          .column("fleet", "text", HostRow::fleet)
          .column("epoch", "bigint", HostRow::epoch)
          .column("nonce", "text", HostRow::nonce)
          .column("journal", "text", HostRow::journal)
          .column("version", "text", HostRow::version)
          .column("state", "text", HostRow::state)
          .column("cordoned", "boolean", HostRow::cordoned)
          .column("reason", "text", HostRow::reason)
          .column("resources", "text", row -> Json.text(row.resources()))
          .column("seen_at", "bigint", HostRow::seenAt)
          .column(
              "settings", "text", row -> row.settings() == null ? null : Json.text(row.settings()))
          .column("drain", "text", row -> row.drain() == null ? null : Json.text(row.drain()))
          .column("losses", "text", row -> row.losses().isEmpty() ? null : Json.text(row.losses()))
          .column(
              "holder",
              "text",
              row -> row.holder().equals(Holder.NONE) ? null : Json.text(row.holder()))
          .column("restored", "text", row -> row.unsettled() ? Json.text(row.restored()) : null)
          .column(
              "key", "text", row -> row.key().equals(HostKey.NONE) ? null : Json.text(row.key()));

  private static final LastRead<HostResources> RESOURCES =
      new LastRead<>((id, text) -> Row.json(() -> id, text, HostResources.class, NOTHING));

  private static HostRow map(Row row) {
    String id = row.text();
    return new HostRow(
        id,
        row.text(),
        row.bigint(),
        row.text(),
        row.text(),
        row.text(),
        row.constant(HostRow.State.class),
        row.flag(),
        row.text(),
        RESOURCES.of(id, row.text()),
        row.bigint(),
        row.json(HostSettings.class, null),
        row.json(HostRow.Drain.class, null),
        times(row),
        row.json(Holder.class, null),
        row.json(Restored.class, null),
        row.json(HostKey.class, null));
  }

  private static List<Long> times(Row row) {
    List<Long> times = new ArrayList<>();
    row.json(JsonNode.class, Json.tree(List.of())).forEach(time -> times.add(time.longValue()));
    return times;
  }

  @Override
  public Uni<List<HostRow>> all() {
    return Queries.list(session, SELECT + "order by h.id", Map.of(), HostTable::map);
  }

  /** The transaction that wrote each row. */
  @Override
  public Uni<Map<String, String>> versions() {
    return Queries.list(
            session,
            "select h.id, cast(h.xmin as text) from host h",
            Map.of(),
            row -> Map.entry(row.text(), row.text()))
        .map(
            rows ->
                rows.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  @Override
  public Uni<Map<String, HostKey>> keys() {
    return Queries.list(
            session,
            "select h.id, h.key from host h where h.key is not null",
            Map.of(),
            row -> Map.entry(row.text(), row.json(HostKey.class, HostKey.NONE)))
        .map(
            rows ->
                rows.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  @Override
  public Uni<List<HostRow>> lock(Collection<String> ids) {
    String sql = SELECT + "where h.id = any(cast(:keys as text[])) order by h.id for update";
    return Queries.listOf(session, sql, ids, HostTable::map);
  }

  @Override
  public Uni<Void> put(HostRow row, boolean isNew, List<HostEvent> events, long at) {
    Write write = isNew ? ROWS.insert(List.of(row), "") : ROWS.update(List.of(row));
    return Write.run(session, List.of(write, HostEventTable.insert(row.id(), events, at)))
        .chain(() -> HostEventTable.keepNewest(session, row.id(), events));
  }
}
