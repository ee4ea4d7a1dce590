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
import io.stoker.dispatcher.model.Avoid;
import io.stoker.dispatcher.model.Gang;
import io.stoker.dispatcher.model.IdentityMap.Change;
import io.stoker.dispatcher.model.JobPolicy;
import io.stoker.dispatcher.model.JobResult;
import io.stoker.dispatcher.model.JobRow;
import io.stoker.dispatcher.model.JobRow.Asked;
import io.stoker.dispatcher.model.JobRow.Role;
import io.stoker.dispatcher.model.JobRow.Sharing;
import io.stoker.dispatcher.model.JobStanding;
import io.stoker.dispatcher.model.LatestAttempt;
import io.stoker.dispatcher.model.Setbacks;
import io.stoker.dispatcher.model.Shape;
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
      new Batch<>("job", 1, JobTable::map)
          .kept("result")
          .later(
              "devices, exit_code, code, reason, progress, result, usage, failures, avoid,"
                  + " retry_at, started_at, ended_at, gang, answered_by")
          // At its placement; as it runs, and at its end; at any other change but few.
          .together("state, changes, attempt, host")
          .together("state, changes, devices, exit_code, result, usage, started_at, ended_at")
          .together(
              "role, state, ending, changes, attempt, host, devices, exit_code, code,"
                  + " reason, progress, result, usage, started_at, ended_at");

  /**
   * Whoever locks jobs needs no result of before: of many that are loaded at once a large one is
   * left out, and is read when it is shown.
   */
  private static final String SELECT =
      select(
          "case when octet_length(j.result) <= %d then j.result end"
              .formatted(Limits.RESULT_WITH_ROW),
          "coalesce(octet_length(j.result), 0) > %d".formatted(Limits.RESULT_WITH_ROW));

  private static final String BY_ID = SELECT + "j.id = any(cast(:keys as text[]))";
  private static final String WHOLE =
      select("j.result", "false") + "j.id = any(cast(:keys as text[]))";
  private static final String BY_FINGERPRINT =
      SELECT + "j.fingerprint = any(cast(:keys as text[])) and j.role > 0";

  private static String select(String result, String leftOut) {
    return "select %s from job j where "
        .formatted(ROWS.columns("j", Map.of("result", result, "result_left_out", leftOut)));
  }

  private static JobRow map(Row row) {
    return new JobRow(
        row.at("id", JobRow::id).text(),
        new Sharing(
            row.at("fingerprint", JobRow::fingerprint).text(),
            Role.values()[row.at("role", (JobRow job) -> job.role().ordinal()).smallint()]),
        asked(row),
        standing(row),
        row.at("changes", JobRow::changes).bigint(),
        latest(row),
        setbacks(row),
        result(row));
  }

  private static Asked asked(Row row) {
    return new Asked(
        row.at("first_request", (JobRow job) -> job.asked().firstRequest()).text(),
        row.at("queue", (JobRow job) -> job.asked().queue()).text(),
        row.at("priority", (JobRow job) -> job.asked().priority()).integer(),
        row.at("seq", (JobRow job) -> job.asked().seq()).bigint(),
        row.at("shape", (JobRow job) -> job.asked().shape()).text(),
        row.at("profile", (JobRow job) -> job.asked().profile()).text(),
        policy(row.at("policy", (JobRow job) -> job.asked().policy())));
  }

  private static JobStanding standing(Row row) {
    return JobStanding.of(
        row.at("state", JobRow::state).constant(JobState.class),
        row.at("ending", JobRow::ending).flag(),
        row.at("code", JobRow::code).knownConstant(Code.class),
        row.at("reason", JobRow::reason).text(),
        row.at("retry_at", JobRow::retryAt).bigintOrNull(),
        row.at("ended_at", JobRow::endedAt).bigintOrNull());
  }

  private static LatestAttempt latest(Row row) {
    return new LatestAttempt(
        row.at("attempt", (JobRow job) -> job.latest().number()).integer(),
        row.at("host", (JobRow job) -> job.latest().host()).text(),
        row.at("devices", List.of(), (JobRow job) -> job.latest().devices())
            .list(JsonNode::textValue),
        row.at("gang", (JobRow job) -> job.latest().gang()).jsonInFull(Gang.class),
        row.at("started_at", (JobRow job) -> job.latest().startedAt()).bigintOrNull(),
        row.at("progress", (JobRow job) -> job.latest().progress()).readableJsonText(),
        row.at("exit_code", (JobRow job) -> job.latest().exitCode()).integerOrNull(),
        row.at("usage", (JobRow job) -> job.latest().usage()).json(Usage.class, null));
  }

  private static Setbacks setbacks(Row row) {
    return new Setbacks(
        failures(row.at("failures", Map.of(), (JobRow job) -> job.setbacks().failures())),
        row.at("avoid", Avoid.NOTHING, (JobRow job) -> job.setbacks().avoid())
            .json(Avoid.class, Avoid.NOTHING),
        row.at("preemptions", (JobRow job) -> job.setbacks().preemptions()).integer());
  }

  private static JobResult result(Row row) {
    return new JobResult(
        row.at("result", (JobRow job) -> job.result().text()).readableJsonText(),
        row.at("result_left_out").flag(),
        row.at("answered_by", (JobRow job) -> job.result().answeredBy())
            .json(AnsweredBy.class, null));
  }

  static JobPolicy policy(Row row) {
    return row.json(JobPolicy.class, DEFAULT_POLICY, DEFAULT_POLICY_TEXT);
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
        jobs.add(ROWS.map(row));
      }
    }
    return new Locked(now, jobs, how);
  }

  /** For reading where a job stands while nobody can end it. */
  @Override
  public Uni<List<JobRow>> lockShared(Collection<String> ids) {
    return Queries.listOf(session, BY_ID + IN_ORDER + "for share", ids, ROWS::map);
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
    return Queries.listOf(session, sql, fingerprints, ROWS::map);
  }

  /** Those that wait for the end of these jobs, which hold their fingerprints. */
  static Uni<List<JobRow>> lockSuccessors(StatelessSession session, Collection<String> jobs) {
    String sql =
        SELECT
            + "j.role = 2 and j.fingerprint in (select h.fingerprint from job h where h.id ="
            + " any(cast(:keys as text[])) and h.role = 1)"
            + IN_ORDER
            + "for update of j";
    return Queries.listOf(session, sql, jobs, ROWS::map);
  }

  /**
   * With their results, however large: whoever reads many sees to it that they are not too many.
   */
  @Override
  public Uni<List<JobRow>> read(Collection<String> ids) {
    return Queries.listOf(session, WHOLE, ids, ROWS::map);
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
