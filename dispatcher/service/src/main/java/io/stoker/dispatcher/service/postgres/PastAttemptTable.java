package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.ledger.PastAttempt;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Attempts that are over, but for the only one of a plain job. They go with their jobs. */
public final class PastAttemptTable {
  /** One takes the place of an older one of its slot; see {@link PastAttempt#KEPT}. */
  private static final String REPLACE =
      """
      (job, slot, rank) do update set number = excluded.number, host = excluded.host,
        devices = excluded.devices, placed_at = excluded.placed_at,
        running_since = excluded.running_since, ended_at = excluded.ended_at, how = excluded.how,
        category = excluded.category, reason = excluded.reason, exit_code = excluded.exit_code,
        usage = excluded.usage
      """;

  private static final Batch<PastAttempt> ROWS =
      new Batch<PastAttempt>("past_attempt")
          .key("job", "text", PastAttempt::job)
          .key("slot", "integer", PastAttempt::slot)
          .key("rank", "smallint", PastAttempt::rank)
          .column("number", "integer", PastAttempt::number)
          .column("host", "text", PastAttempt::host)
          .column("devices", "text", row -> JobTable.unlessEmpty(row.devices()), Json::text)
          .column("placed_at", "bigint", PastAttempt::placedAt)
          .column("running_since", "bigint", PastAttempt::runningSince)
          .column("ended_at", "bigint", PastAttempt::endedAt)
          .column("how", "text", PastAttempt::how)
          .column("category", "text", PastAttempt::category)
          .column("reason", "text", PastAttempt::reason)
          .column("exit_code", "integer", PastAttempt::exitCode)
          .column("usage", "text", row -> row.usage() == null ? null : Json.text(row.usage()));

  private PastAttemptTable() {}

  static Write insert(List<PastAttempt> rows) {
    return ROWS.insert(rows, REPLACE);
  }

  /** Those that are kept of a job, in order. */
  public static Uni<List<PastAttempt>> of(StatelessSession session, String job) {
    return Queries.list(
        session,
        "select p.job, p.number, p.rank, p.host, p.devices, p.placed_at, p.running_since, p.ended_at,"
            + " p.how, p.category, p.reason, p.exit_code, p.usage from past_attempt p"
            + " where p.job = :job order by p.number, p.rank",
        Map.of("job", job),
        row ->
            new PastAttempt(
                row.text(),
                row.integer(),
                row.integer(),
                row.text(),
                JobTable.strings(row),
                row.bigintOrNull(),
                row.bigintOrNull(),
                row.bigint(),
                row.knownConstant(PastAttempt.How.class),
                row.knownConstant(FailureCategory.class),
                row.text(),
                row.integerOrNull(),
                row.json(Usage.class, null)));
  }
}
