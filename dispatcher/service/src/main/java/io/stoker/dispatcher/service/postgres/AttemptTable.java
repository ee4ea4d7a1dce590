package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.Answer;
import io.stoker.dispatcher.model.AttemptRow;
import io.stoker.dispatcher.model.AttemptRow.Heard;
import io.stoker.dispatcher.model.AttemptRow.Offer;
import io.stoker.dispatcher.model.AttemptRow.Told;
import io.stoker.dispatcher.model.IdentityMap.Change;
import io.stoker.dispatcher.model.Takes;
import io.stoker.dispatcher.store.Attempts;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of open attempts. */
public record AttemptTable(StatelessSession session) implements Attempts {
  private static final Batch<AttemptRow> ROWS =
      new Batch<>("attempt", 3, AttemptTable::map)
          .emptyNowAndThen()
          .later("devices, cancel_reason, running_since, preempted, answer")
          .together("state, seq, devices, cancel_reason, running_since");
  private static final Batch<AttemptRow.Key> KEYS =
      new Batch<AttemptRow.Key>("attempt")
          .key("job", "text", AttemptRow.Key::job)
          .key("number", "integer", AttemptRow.Key::number)
          .key("rank", "smallint", AttemptRow.Key::rank);

  private static final String SELECT = ROWS.select("a");

  private static AttemptRow map(Row row) {
    return new AttemptRow(
        row.at("job", AttemptRow::job).text(),
        row.at("number", AttemptRow::number).integer(),
        row.at("rank", AttemptRow::rank).smallint(),
        row.at("queue", AttemptRow::queue).text(),
        row.at("host", AttemptRow::host).text(),
        new Offer(
            row.at("token", AttemptRow::token).text(),
            row.at("placed_at", AttemptRow::placedAt).bigint(),
            row.at("not_after", AttemptRow::notAfter).bigint()),
        Takes.of(
            row.at("gpus", (AttemptRow attempt) -> attempt.takes().gpus()).integer(),
            row.at("cpu_slots", (AttemptRow attempt) -> attempt.takes().cpuSlots()).integer(),
            row.at("gpu_memory", (AttemptRow attempt) -> attempt.takes().gpuMemory())
                .bigintOrNull(),
            row.at("host_memory", (AttemptRow attempt) -> attempt.takes().hostMemory())
                .bigintOrNull(),
            row.at("pool", (AttemptRow attempt) -> attempt.takes().pool()).text(),
            row.at("runner", (AttemptRow attempt) -> attempt.takes().runner()).text()),
        new Heard(
            row.at("state", AttemptRow::state).constant(AttemptRow.State.class),
            row.at("seq", AttemptRow::seq).integer(),
            row.at("devices", List.of(), AttemptRow::devices).list(JsonNode::textValue),
            row.at("running_since", AttemptRow::runningSince).bigintOrNull()),
        new Told(
            row.at("cancel_reason", AttemptRow::cancelReason).text(),
            row.at("preempted", (AttemptRow attempt) -> attempt.preempted())
                .json(AttemptRow.Preempted.class, null),
            row.at("answer", AttemptRow::answer).json(Answer.class, null)));
  }

  /** Open attempts of jobs; a lock on the job guards them. */
  public static Uni<List<AttemptRow>> ofJobs(StatelessSession session, Collection<String> jobs) {
    String sql = SELECT + "where a.job = any(cast(:keys as text[]))";
    return Queries.listOf(session, sql, jobs, ROWS::map);
  }

  @Override
  public Uni<List<AttemptRow>> all() {
    return Queries.list(session, SELECT, Map.of(), ROWS::map);
  }

  /** The jobs of the attempts that are open on a host. */
  @Override
  public Uni<List<String>> jobsOn(String host) {
    return Queries.list(
        session,
        "select distinct a.job from attempt a where a.host = :host order by a.job",
        Map.of("host", host),
        Row::text);
  }

  /**
   * Attempts whose agents still have to be told something: accept it, start it, end it, or what a
   * person says of it.
   */
  @Override
  public Uni<List<AttemptRow>> untold() {
    String sql =
        SELECT
            + "where a.state = 'PLACED' or a.cancel_reason is not null or a.answer is not null or"
            + " (a.state = 'ACCEPTED' and exists (select 1 from job j where j.id = a.job and j.gang"
            + " is not null))";
    return Queries.list(session, sql, Map.of(), ROWS::map);
  }

  static Write insert(List<AttemptRow> rows) {
    return ROWS.insert(rows, "");
  }

  static Write change(List<Change<AttemptRow>> changes) {
    return ROWS.change(changes);
  }

  static Write delete(List<AttemptRow.Key> keys) {
    return KEYS.delete(keys);
  }
}
