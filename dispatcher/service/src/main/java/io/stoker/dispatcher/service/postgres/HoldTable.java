package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.dispatcher.placement.Hold;
import io.stoker.dispatcher.store.Holds;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Room that is made for jobs in line; the lock on the fleet guards it. */
public record HoldTable(StatelessSession session) implements Holds {
  private static final String ALL =
      "select h.job, h.queue, h.hosts, h.gpus, h.cpu_slots, h.since, h.free_since, h.host_memory,"
          + " exists (select 1 from ready r where r.job = h.job) from hold h order by h.since,"
          + " h.job";

  private static final Batch<Hold> ROWS =
      new Batch<Hold>("hold")
          .key("job", "text", Hold::job)
          .column("queue", "text", Hold::queue)
          .column("hosts", "text", row -> Json.text(row.hosts()))
          .column("gpus", "integer", Hold::gpus)
          .column("cpu_slots", "integer", Hold::cpuSlots)
          .column("since", "bigint", Hold::since)
          .column("free_since", "bigint", Hold::freeSince)
          .column("host_memory", "bigint", Hold::hostMemory);

  private static final Batch<String> JOBS =
      new Batch<String>("hold").key("job", "text", job -> job);

  /** All of them, the oldest first. */
  @Override
  public Uni<List<Held>> all() {
    return Queries.list(session, ALL, Map.of(), row -> new Held(map(row), row.flag()));
  }

  private static Hold map(Row row) {
    return new Hold(
        row.text(),
        row.text(),
        JobTable.strings(row),
        row.integer(),
        row.integer(),
        row.bigint(),
        row.bigintOrNull(),
        row.bigintOrNull());
  }

  /** Writes new ones, changed ones, and that some are over. */
  @Override
  public Uni<Void> write(List<Hold> made, List<Hold> changed, List<String> released) {
    return Write.run(
            session,
            List.of(
                ROWS.insert(made, "(job) do nothing"), ROWS.update(changed), JOBS.delete(released)))
        .replaceWithVoid();
  }
}
