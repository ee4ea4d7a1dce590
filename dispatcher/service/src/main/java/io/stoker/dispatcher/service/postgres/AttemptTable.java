package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.dispatcher.ledger.Answer;
import io.stoker.dispatcher.ledger.AttemptRow;
import io.stoker.dispatcher.ledger.AttemptRow.Heard;
import io.stoker.dispatcher.ledger.AttemptRow.Offer;
import io.stoker.dispatcher.ledger.AttemptRow.Takes;
import io.stoker.dispatcher.ledger.AttemptRow.Told;
import io.stoker.dispatcher.ledger.Rows.Change;
import io.stoker.dispatcher.store.Attempts;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of open attempts. */
public record AttemptTable(StatelessSession session) implements Attempts {
  private static final String SELECT =
      "select a.job, a.number, a.rank, a.queue, a.host, a.token, a.placed_at, a.not_after, a.gpus, a.cpu_slots,"
          + " a.gpu_memory, a.host_memory, a.pool, a.runner, a.state, a.seq, a.devices, a.running_since,"
          + " a.cancel_reason, a.preempted, a.answer from attempt a where ";

  private static final Batch<AttemptRow> ROWS =
      new Batch<AttemptRow>("attempt")
          .emptyNowAndThen()
          .key("job", "text", AttemptRow::job)
          .key("number", "integer", AttemptRow::number)
          .key("rank", "smallint", AttemptRow::rank)
          .column("queue", "text", AttemptRow::queue)
          .column("host", "text", AttemptRow::host)
          .column("token", "text", AttemptRow::token)
          .column("state", "text", AttemptRow::state)
          .column("seq", "integer", AttemptRow::seq)
          .column("gpus", "integer", AttemptRow::gpus)
          .column("cpu_slots", "integer", AttemptRow::cpuSlots)
          .column("placed_at", "bigint", AttemptRow::placedAt)
          .column("not_after", "bigint", AttemptRow::notAfter)
          .column("devices", "text", row -> JobTable.unlessEmpty(row.devices()), Json::text)
          .column("cancel_reason", "text", AttemptRow::cancelReason)
          .column("gpu_memory", "bigint", AttemptRow::gpuMemory)
          .column("pool", "text", AttemptRow::pool)
          .column("runner", "text", AttemptRow::runner)
          .column("running_since", "bigint", AttemptRow::runningSince)
          .column("preempted", "text", AttemptRow::preempted, Json::text)
          .column("answer", "text", AttemptRow::answer, Json::text)
          .column("host_memory", "bigint", AttemptRow::hostMemory)
          .later("devices, cancel_reason, running_since, preempted, answer")
          .together("state, seq, devices, cancel_reason, running_since");
  private static final Batch<AttemptRow.Key> KEYS =
      new Batch<AttemptRow.Key>("attempt")
          .key("job", "text", AttemptRow.Key::job)
          .key("number", "integer", AttemptRow.Key::number)
          .key("rank", "smallint", AttemptRow.Key::rank);

  private static AttemptRow map(Row row) {
    return new AttemptRow(
        row.text(),
        row.integer(),
        row.integer(),
        row.text(),
        row.text(),
        new Offer(row.text(), row.bigint(), row.bigint()),
        new Takes(
            row.integer(),
            row.integer(),
            row.bigintOrNull(),
            row.bigintOrNull(),
            row.text(),
            row.text()),
        new Heard(
            row.constant(AttemptRow.State.class),
            row.integer(),
            JobTable.strings(row),
            row.bigintOrNull()),
        new Told(
            row.text(), row.json(AttemptRow.Preempted.class, null), row.json(Answer.class, null)));
  }

  /** Open attempts of jobs; a lock on the job guards them. */
  public static Uni<List<AttemptRow>> ofJobs(StatelessSession session, Collection<String> jobs) {
    String sql = SELECT + "a.job = any(cast(:keys as text[]))";
    return Queries.listOf(session, sql, jobs, AttemptTable::map);
  }

  @Override
  public Uni<List<AttemptRow>> all() {
    return Queries.list(session, SELECT + "true", Map.of(), AttemptTable::map);
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
            + "a.state = 'PLACED' or a.cancel_reason is not null or a.answer is not null or"
            + " (a.state = 'ACCEPTED' and exists (select 1 from job j where j.id = a.job and j.gang"
            + " is not null))";
    return Queries.list(session, sql, Map.of(), AttemptTable::map);
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
