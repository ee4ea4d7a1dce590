package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.common.message.AttemptEvent.Usage;
import io.stoker.common.message.RequestStatus.AnsweredBy;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.common.state.FailureCategory;
import io.stoker.common.state.JobState;
import io.stoker.dispatcher.ledger.Avoid;
import io.stoker.dispatcher.ledger.Gang;
import io.stoker.dispatcher.ledger.JobPolicy;
import io.stoker.dispatcher.ledger.JobRow;
import io.stoker.dispatcher.ledger.JobRow.Role;
import io.stoker.dispatcher.ledger.Rows.Change;
import io.stoker.dispatcher.ledger.Shape;
import io.stoker.dispatcher.placement.Memory;
import io.stoker.dispatcher.store.JobLock;
import io.stoker.dispatcher.store.Jobs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of jobs. */
public record JobTable(StatelessSession session) implements Jobs {
  private static final String COLUMNS =
      "j.id, j.fingerprint, j.role, j.state, j.ending, j.changes, j.attempt, j.first_request,"
          + " j.queue, j.priority, j.seq, j.shape, j.profile, j.policy, j.host, j.devices,"
          + " j.exit_code, j.code, j.reason, j.progress, %s, j.usage, j.failures, j.avoid,"
          + " j.retry_at, j.started_at, j.ended_at, j.preemptions, j.gang, j.answered_by, %s";

  /**
   * Whoever locks jobs needs no result of before: of many that are loaded at once a large one is
   * left out, and is read when it is shown.
   */
  private static final String SELECT =
      "select "
          + COLUMNS.formatted(
              "case when octet_length(j.result) <= %1$d then j.result end as result"
                  .formatted(Limits.RESULT_WITH_ROW),
              "coalesce(octet_length(j.result), 0) > %1$d as result_left_out"
                  .formatted(Limits.RESULT_WITH_ROW))
          + " from job j where ";

  private static final String BY_ID = SELECT + "j.id = any(cast(:keys as text[]))";
  private static final String WHOLE =
      "select "
          + COLUMNS.formatted("j.result", "false")
          + " from job j where j.id = any(cast(:keys as text[]))";
  private static final String BY_FINGERPRINT =
      SELECT + "j.fingerprint = any(cast(:keys as text[])) and j.role > 0";

  /**
   * In which order jobs are locked, by whatever statement: whoever ends jobs locks those that wait
   * for their ends in a statement that follows, so they come last for others, too. Otherwise two
   * transactions would wait for each other until the database ends one.
   */
  private static final String IN_ORDER = " order by j.role, j.id ";

  private static final String CLOCK_AND =
      "select c.now, j.* from (select " + Queries.CLOCK + " as now) c left join (%s) j on true";
  private static final JobPolicy DEFAULT_POLICY =
      new JobPolicy(Map.of(), null, false, null, false, null);
  private static final String DEFAULT_POLICY_TEXT = Json.text(DEFAULT_POLICY);

  private static final Batch<JobRow> ROWS =
      new Batch<JobRow>("job")
          .key("id", "text", JobRow::id)
          .column("fingerprint", "text", JobRow::fingerprint)
          .column("role", "smallint", row -> row.role().ordinal())
          .column("state", "text", JobRow::state)
          .column("ending", "boolean", JobRow::ending)
          .column("changes", "bigint", JobRow::changes)
          .column("attempt", "integer", JobRow::attempt)
          .column("first_request", "text", JobRow::firstRequest)
          .column("queue", "text", JobRow::queue)
          .column("priority", "integer", JobRow::priority)
          .column("seq", "bigint", JobRow::seq)
          .column("shape", "text", JobRow::shape)
          .column("profile", "text", JobRow::profile)
          .column("policy", "text", JobRow::policy, Json::text)
          .column("host", "text", JobRow::host)
          .column("devices", "text", row -> unlessEmpty(row.devices()), Json::text)
          .column("exit_code", "integer", JobRow::exitCode)
          .column("code", "text", JobRow::code)
          .column("reason", "text", JobRow::reason)
          .column("progress", "text", JobRow::progress)
          .kept("result", "text", JobRow::result)
          .column("usage", "text", JobRow::usage, Json::text)
          .column("failures", "text", JobTable::failures, Json::text)
          .column("avoid", "text", JobTable::avoid, Json::text)
          .column("retry_at", "bigint", JobRow::retryAt)
          .column("started_at", "bigint", JobRow::startedAt)
          .column("ended_at", "bigint", JobRow::endedAt)
          .column("preemptions", "integer", JobRow::preemptions)
          .column("gang", "text", JobRow::gang, Json::text)
          .column("answered_by", "text", JobRow::answeredBy, Json::text)
          .later(
              "devices, exit_code, code, reason, progress, result, usage, failures, avoid,"
                  + " retry_at, started_at, ended_at, gang, answered_by")
          // At its placement; as it runs, and at its end; at any other change but few.
          .together("state, changes, attempt, host")
          .together("state, changes, devices, exit_code, result, usage, started_at, ended_at")
          .together(
              "role, state, ending, changes, attempt, host, devices, exit_code, code,"
                  + " reason, progress, result, usage, started_at, ended_at");

  static JobRow map(Row row) {
    return new JobRow(
        row.text(),
        row.text(),
        Role.values()[row.integer()],
        row.constant(JobState.class),
        row.flag(),
        row.bigint(),
        row.integer(),
        row.text(),
        row.text(),
        row.integer(),
        row.bigint(),
        row.text(),
        row.text(),
        policy(row),
        row.text(),
        strings(row),
        row.integerOrNull(),
        row.knownConstant(Code.class),
        row.text(),
        row.readableJsonText(),
        row.readableJsonText(),
        row.json(Usage.class, null),
        failures(row),
        avoid(row),
        row.bigintOrNull(),
        row.bigintOrNull(),
        row.bigintOrNull(),
        row.integer(),
        row.jsonInFull(Gang.class),
        row.json(AnsweredBy.class, null),
        row.flag());
  }

  static JobPolicy policy(Row row) {
    return row.json(JobPolicy.class, DEFAULT_POLICY, DEFAULT_POLICY_TEXT);
  }

  static List<String> strings(Row row) {
    List<String> strings = new ArrayList<>();
    JsonNode array = row.json(JsonNode.class, null);
    if (array != null) {
      array.forEach(entry -> strings.add(entry.textValue()));
    }
    return strings;
  }

  /** Column avoid. */
  static Avoid avoid(Row row) {
    return row.json(Avoid.class, Avoid.NOTHING);
  }

  private static Avoid avoid(JobRow job) {
    return job.avoid().hosts().isEmpty() ? null : job.avoid();
  }

  static List<String> unlessEmpty(List<String> strings) {
    return strings.isEmpty() ? null : strings;
  }

  private static Map<FailureCategory, Integer> failures(JobRow job) {
    return job.failures().isEmpty() ? null : job.failures();
  }

  private static Map<FailureCategory, Integer> failures(Row row) {
    Map<FailureCategory, Integer> failures = new EnumMap<>(FailureCategory.class);
    JsonNode object = row.json(JsonNode.class, null);
    if (object != null) {
      object
          .properties()
          .forEach(
              entry ->
                  known(entry.getKey())
                      .ifPresent(category -> failures.put(category, entry.getValue().intValue())));
    }
    return failures;
  }

  /** Nothing for one that only a newer build knows. */
  private static Optional<FailureCategory> known(String category) {
    return Stream.of(FailureCategory.values()).filter(one -> one.name().equals(category)).findAny();
  }

  /** For changes of the jobs themselves. */
  public static Uni<Locked> lock(StatelessSession session, Collection<String> ids) {
    return locked(session, BY_ID, ids, JobLock.CHANGES);
  }

  /** The same of those that nobody else has locked. */
  static Uni<Locked> lockFree(StatelessSession session, Collection<String> ids) {
    return locked(session, BY_ID, ids, JobLock.CHANGES, "for update skip locked");
  }

  private static Uni<Locked> locked(
      StatelessSession session, String which, Collection<String> keys, JobLock how) {
    return locked(session, which, keys, how, how == JobLock.CHANGES ? "for update" : "for share");
  }

  private static Uni<Locked> locked(
      StatelessSession session, String which, Collection<String> keys, JobLock how, String lock) {
    String sql = which + IN_ORDER + lock;
    Map<String, Object> parameters = Map.of("keys", Queries.array(keys));
    return Queries.list(session, CLOCK_AND.formatted(sql), parameters, row -> row)
        .map(rows -> locked(rows, how));
  }

  /** Each row begins with the clock; the one of no job has nothing more. */
  private static Locked locked(List<Row> rows, JobLock how) {
    long now = 0;
    List<JobRow> jobs = new ArrayList<>();
    for (Row row : rows) {
      now = row.bigint();
      if (row.hasText()) {
        jobs.add(map(row));
      }
    }
    return new Locked(now, jobs, how);
  }

  /** For reading where a job stands while nobody can end it. */
  @Override
  public Uni<List<JobRow>> lockShared(Collection<String> ids) {
    return Queries.listOf(session, BY_ID + IN_ORDER + "for share", ids, JobTable::map);
  }

  @Override
  public Uni<Locked> lockByFingerprint(Collection<String> fingerprints, JobLock how) {
    return locked(session, BY_FINGERPRINT, fingerprints, how);
  }

  @Override
  public Uni<List<JobRow>> lockHolders(Collection<String> fingerprints) {
    String sql =
        SELECT
            + "j.fingerprint = any(cast(:keys as text[])) and j.role = 1"
            + IN_ORDER
            + "for update";
    return Queries.listOf(session, sql, fingerprints, JobTable::map);
  }

  /** Those that wait for the end of these jobs, which hold their fingerprints. */
  static Uni<List<JobRow>> lockSuccessors(StatelessSession session, Collection<String> jobs) {
    String sql =
        SELECT
            + "j.role = 2 and j.fingerprint in (select h.fingerprint from job h where h.id ="
            + " any(cast(:keys as text[])) and h.role = 1)"
            + IN_ORDER
            + "for update of j";
    return Queries.listOf(session, sql, jobs, JobTable::map);
  }

  /**
   * With their results, however large: whoever reads many sees to it that they are not too many.
   */
  @Override
  public Uni<List<JobRow>> read(Collection<String> ids) {
    return Queries.listOf(session, WHOLE, ids, JobTable::map);
  }

  /** Columns fingerprint, profile and failures. */
  static Memory memory(Row row, Shape shape) {
    return Memory.of(shape, row.text(), row.text(), failures(row));
  }

  static Write insert(List<JobRow> rows) {
    return ROWS.insert(rows, "");
  }

  static Write change(List<Change<JobRow>> changes) {
    return ROWS.change(changes);
  }
}
