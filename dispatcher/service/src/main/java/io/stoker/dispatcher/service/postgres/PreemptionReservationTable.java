package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.placement.PreemptionReservation;
import io.stoker.dispatcher.store.PreemptionReservations;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Room that is made for jobs in line; the lock on the fleet guards it. */
public record PreemptionReservationTable(StatelessSession session)
    implements PreemptionReservations {
  private static final Batch<PreemptionReservation> ROWS =
      new Batch<>("hold", 1, PreemptionReservationTable::map);
  private static final String ALL =
      "select %s, exists (select 1 from ready r where r.job = h.job) from hold h order by h.since, h.job"
          .formatted(ROWS.columns("h", Map.of()));
  private static final Batch<String> JOBS =
      new Batch<String>("hold").key("job", "text", job -> job);

  @Override
  public Uni<List<Held>> all() {
    return Queries.list(session, ALL, Map.of(), row -> new Held(ROWS.map(row), row.flag()));
  }

  private static PreemptionReservation map(Row row) {
    return new PreemptionReservation(
        row.at("job", PreemptionReservation::job).text(),
        row.at("queue", PreemptionReservation::queue).text(),
        row.at("hosts", PreemptionReservation::hosts).list(JsonNode::textValue),
        row.at("gpus", PreemptionReservation::gpus).integer(),
        row.at("cpu_slots", PreemptionReservation::cpuSlots).integer(),
        row.at("since", PreemptionReservation::since).bigint(),
        row.at("free_since", PreemptionReservation::freeSince).bigintOrNull(),
        row.at("host_memory", PreemptionReservation::hostMemory).bigintOrNull());
  }

  @Override
  public Uni<Void> write(
      List<PreemptionReservation> made,
      List<PreemptionReservation> changed,
      List<String> released) {
    return Write.run(
            session,
            List.of(
                ROWS.insert(made, "(job) do nothing"), ROWS.update(changed), JOBS.delete(released)))
        .replaceWithVoid();
  }
}
