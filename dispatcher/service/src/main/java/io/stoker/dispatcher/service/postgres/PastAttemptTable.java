package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.state.FailureCategory;
import io.stoker.dispatcher.model.PastAttempt;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** Attempts that are over, but for the only one of a plain job. They go with their jobs. */
public final class PastAttemptTable {
  private static final Batch<PastAttempt> ROWS =
      new Batch<>("past_attempt", 3, PastAttemptTable::map);
  private static final String REPLACE = ROWS.replacing();
  private static final String OF_JOB =
      ROWS.select("p") + "where p.job = :job order by p.number, p.rank";

  private PastAttemptTable() {}

  /** One takes the place of an older one of its slot; see {@link PastAttempt#KEPT}. */
  static Write insert(List<PastAttempt> rows) {
    return ROWS.insert(rows, REPLACE);
  }

  /** Those that are kept of a job, in order. */
  public static Uni<List<PastAttempt>> of(StatelessSession session, String job) {
    return Queries.list(session, OF_JOB, Map.of("job", job), ROWS::map);
  }

  private static PastAttempt map(Row row) {
    String job = row.at("job", PastAttempt::job).text();
    row.at("slot", PastAttempt::slot).integer();
    int rank = row.at("rank", PastAttempt::rank).smallint();
    return new PastAttempt(
        job,
        row.at("number", PastAttempt::number).integer(),
        rank,
        row.at("host", PastAttempt::host).text(),
        row.at("devices", List.of(), PastAttempt::devices).list(JsonNode::textValue),
        row.at("placed_at", PastAttempt::placedAt).bigintOrNull(),
        row.at("running_since", PastAttempt::runningSince).bigintOrNull(),
        row.at("ended_at", PastAttempt::endedAt).bigint(),
        row.at("how", PastAttempt::how).knownConstant(PastAttempt.How.class),
        row.at("category", PastAttempt::category).knownConstant(FailureCategory.class),
        row.at("reason", PastAttempt::reason).text(),
        row.at("exit_code", PastAttempt::exitCode).integerOrNull(),
        row.at("usage", PastAttempt::usage).json(Usage.class, null));
  }
}
