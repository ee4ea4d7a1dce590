package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.HostMessage.HostResources;
import io.stoker.dispatcher.model.Holder;
import io.stoker.dispatcher.model.HostDuty;
import io.stoker.dispatcher.model.HostEvent;
import io.stoker.dispatcher.model.HostGrant;
import io.stoker.dispatcher.model.HostKey;
import io.stoker.dispatcher.model.HostRow;
import io.stoker.dispatcher.model.HostSettings;
import io.stoker.dispatcher.model.Restored;
import io.stoker.dispatcher.store.Hosts;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of hosts. */
public record HostTable(StatelessSession session) implements Hosts {
  private static final HostResources NOTHING = new HostResources(List.of(), 0, Map.of(), null);

  private static final LastRead<HostResources> RESOURCES =
      new LastRead<>((id, text) -> Row.json(() -> id, text, HostResources.class, NOTHING));

  /** Who is written is heard of, or meant by people: it is listed. */
  private static final Batch<HostRow> ROWS =
      new Batch<HostRow>("host", 1, HostTable::map).column("unlisted", "boolean", host -> false);

  private static final String SELECT = ROWS.select("h");

  /** In the words of their index; dispatchers of a build before do not list who comes back. */
  private static final String LISTED =
      "where not h.unlisted or h.state = 'UP' or h.restored is not null ";

  private static HostRow map(Row row) {
    String id = row.at("id", HostRow::id).text();
    return new HostRow(
        id,
        row.at("fleet", HostRow::fleet).text(),
        new HostGrant(
            row.at("epoch", HostRow::epoch).bigint(),
            row.at("nonce", (HostRow host) -> host.grant().nonce()).text(),
            row.at("journal", (HostRow host) -> host.grant().journal()).text(),
            row.at("version", (HostRow host) -> host.grant().version()).text(),
            row.at("state", HostRow::state).constant(HostRow.State.class),
            row.at("seen_at", (HostRow host) -> host.grant().seenAt()).bigint()),
        RESOURCES.of(id, row.at("resources", (HostRow host) -> Json.text(host.resources())).text()),
        row.at("settings", HostRow::settings).json(HostSettings.class, null),
        new HostDuty(
            row.at("cordoned", HostRow::cordoned).flag(),
            row.at("reason", HostRow::reason).text(),
            row.at("drain", HostRow::drain).json(HostRow.Drain.class, null),
            row.at("losses", List.of(), (HostRow host) -> host.duty().losses())
                .list(JsonNode::longValue)),
        row.at("holder", Holder.NONE, HostRow::holder).json(Holder.class, Holder.NONE),
        row.at("restored", HostRow::restored).json(Restored.class, null),
        row.at("key", HostKey.NONE, HostRow::key).json(HostKey.class, HostKey.NONE));
  }

  @Override
  public Uni<List<HostRow>> all() {
    return Queries.list(session, SELECT + LISTED + "order by h.id", Map.of(), ROWS::map);
  }

  /** The transaction that wrote each row. */
  @Override
  public Uni<Map<String, String>> versions() {
    return Queries.byKey(
        session, "select h.id, cast(h.xmin as text) from host h " + LISTED, Map.of(), Row::text);
  }

  @Override
  public Uni<Map<String, HostKey>> keys() {
    return Queries.byKey(
        session,
        "select h.id, h.key from host h where h.key is not null",
        Map.of(),
        row -> row.json(HostKey.class, HostKey.NONE));
  }

  @Override
  public Uni<List<HostRow>> lock(Collection<String> ids) {
    String sql = SELECT + "where h.id = any(cast(:keys as text[])) order by h.id for update";
    return Queries.listOf(session, sql, ids, ROWS::map);
  }

  @Override
  public Uni<Void> put(HostRow row, boolean isNew, List<HostEvent> events, long at) {
    Write write = isNew ? ROWS.insert(List.of(row), "") : ROWS.update(List.of(row));
    return Write.run(session, List.of(write, HostEventTable.insert(row.id(), events, at)))
        .chain(() -> HostEventTable.keepNewest(session, row.id(), events));
  }
}
