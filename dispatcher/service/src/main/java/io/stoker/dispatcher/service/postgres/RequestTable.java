package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.ledger.Input;
import io.stoker.dispatcher.ledger.RequestRow;
import io.stoker.dispatcher.ledger.Rows.Change;
import io.stoker.dispatcher.store.Requests;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of requests. */
public record RequestTable(StatelessSession session) implements Requests {
  private static final String COLUMNS = columns("r.spec, r.resolved", "false");
  private static final String SMALL =
      "coalesce(octet_length(r.spec) + coalesce(octet_length(r.resolved), 0) <= %d, true)"
          .formatted(Limits.REQUEST_WITH_ROW);
  private static final String BY_ID =
      "select " + COLUMNS + " from request r where r.id = any(cast(:keys as text[]))";

  /** Of many that are loaded at once large ones are left out, and read when they are needed. */
  private static final String FIRST =
      "select j.id as started, exists (select 1 from request s where s.job = j.id and s.attached"
          + " and not s.cached), exists (select 1 from dependency d where d.depends_on = r.id),"
          + " cast(r.xmin as text), "
          + columns(
              "case when %1$s then r.spec end, case when %1$s then r.resolved end".formatted(SMALL),
              "not " + SMALL)
          + " from job j join request r on r.id = j.first_request where j.id = any(cast(:keys as"
          + " text[]))";

  private static final String SHARING =
      " from request r where r.ended is null%s and r.id in (select j.first_request from job j"
          + " where j.id = any(cast(:keys as text[])) union all select s.id from request s where"
          + " s.job = any(cast(:keys as text[])) and s.attached and not s.cached) order by r.id";

  private static final Batch<RequestRow> ROWS =
      new Batch<RequestRow>("request")
          .key("id", "text", RequestRow::id)
          .column("seq", "bigint", RequestRow::seq)
          .column("version", "bigint", RequestRow::version)
          .kept("spec", "text", RequestRow::spec)
          .kept("resolved", "text", RequestRow::resolved)
          .column("queue", "text", RequestRow::queue)
          .column("grp", "text", RequestRow::group)
          .column("fingerprint", "text", RequestRow::fingerprint)
          .column("job", "text", RequestRow::job)
          .column("attached", "boolean", RequestRow::attached)
          .column("cached", "boolean", RequestRow::cached)
          .column("missing", "integer", RequestRow::missing)
          .column("ended", "text", RequestRow::ended)
          .column("code", "text", RequestRow::code)
          .column("reason", "text", RequestRow::reason)
          .column("stop_requested", "boolean", RequestRow::stopRequested)
          .column("queued_at", "bigint", RequestRow::queuedAt)
          .column("sent_by", "text", RequestRow::sentBy)
          .later("resolved, ended, code, reason, queued_at")
          .together("version, ended, code, reason, stop_requested");

  static RequestRow map(Row row) {
    return new RequestRow(
        row.text(),
        row.bigint(),
        row.bigint(),
        row.text(),
        row.text(),
        row.text(),
        row.text(),
        row.text(),
        row.text(),
        row.flag(),
        row.flag(),
        row.integer(),
        row.constant(RequestState.class),
        row.knownConstant(Code.class),
        row.text(),
        row.flag(),
        row.bigintOrNull(),
        row.text(),
        row.flag());
  }

  private static String columns(String spec, String leftOut) {
    return ("r.id, r.seq, r.version, %s, r.queue, r.grp, r.fingerprint, r.job, r.attached,"
            + " r.cached, r.missing, r.ended, r.code, r.reason, r.stop_requested, r.queued_at,"
            + " r.sent_by, %s")
        .formatted(spec, leftOut);
  }

  @Override
  public Uni<List<RequestRow>> lock(Collection<String> ids) {
    return Queries.listOf(session, BY_ID + " order by r.id for update", ids, RequestTable::map);
  }

  @Override
  public Uni<List<RequestRow>> read(Collection<String> ids) {
    return Queries.listOf(session, BY_ID, ids, RequestTable::map);
  }

  @Override
  public Uni<Map<String, String>> specs(Collection<String> ids) {
    String sql =
        "select r.id, r.spec from request r where r.id = any(cast(:keys as text[])) and r.spec is"
            + " not null";
    return Queries.listOf(session, sql, ids, row -> Map.entry(row.text(), row.text()))
        .map(
            rows -> {
              Map<String, String> specs = new HashMap<>();
              rows.forEach(row -> specs.put(row.getKey(), row.getValue()));
              return specs;
            });
  }

  @Override
  public Uni<Map<String, Input>> inputs(Collection<String> ids) {
    String sql =
        "select r.id, r.fingerprint, r.job, coalesce(r.ended, j.state),"
            + " coalesce(octet_length(j.result), 0) from request r left join job j on j.id = r.job"
            + " where r.id = any(cast(:keys as text[]))";
    return Queries.listOf(
            session,
            sql,
            ids,
            row ->
                Map.entry(
                    row.text(),
                    new Input(
                        row.text(), row.text(), row.constant(RequestState.class), row.integer())))
        .map(
            rows ->
                rows.stream().collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  @Override
  public Uni<List<RequestRow>> lockSharing(Collection<String> jobs) {
    return Queries.listOf(
        session,
        "select " + COLUMNS + SHARING.formatted("") + " for update",
        jobs,
        RequestTable::map);
  }

  @Override
  public Uni<List<String>> sharing(Collection<String> jobs) {
    return Queries.listOf(session, "select r.id" + SHARING.formatted(""), jobs, Row::text);
  }

  @Override
  public Uni<List<String>> sharedAmong(Collection<String> jobs) {
    String sql =
        "select k.job from unnest(cast(:keys as text[])) k(job) where exists (select 1 from request"
            + " s where s.job = k.job and s.attached and not s.cached)";
    return Queries.listOf(session, sql, jobs, Row::text);
  }

  @Override
  public Uni<List<RequestRow>> readSharing(Collection<String> jobs, int most) {
    if (jobs.isEmpty()) {
      return Uni.createFrom().item(List.of());
    }
    String sql = "select " + COLUMNS + SHARING.formatted(" and " + SMALL) + " limit :most";
    Map<String, Object> parameters = Map.of("keys", Queries.array(jobs), "most", most);
    return Queries.list(session, sql, parameters, RequestTable::map);
  }

  /**
   * The request that started a job, which the lock on the job guards.
   *
   * @param shared whether the job has sharers beside it
   * @param dependedOn whether others depend on it
   * @param writer the number of the transaction that wrote it last
   */
  record First(String job, boolean shared, boolean dependedOn, String writer, RequestRow request) {}

  /** Those of these jobs. */
  static Uni<List<First>> first(StatelessSession session, Collection<String> jobs) {
    return Queries.listOf(
        session,
        FIRST,
        jobs,
        row -> new First(row.text(), row.flag(), row.flag(), row.text(), map(row)));
  }

  @Override
  public Uni<List<String>> sharers(String job, String after, int limit) {
    String sql =
        "select r.id from request r where r.job = :job and r.attached and not r.cached and r.id >"
            + " :after order by r.id limit :limit";
    return Queries.list(
        session, sql, Map.of("job", job, "after", after, "limit", limit), Row::text);
  }

  static Write insert(List<RequestRow> rows) {
    return ROWS.insert(rows, "");
  }

  static Write change(List<Change<RequestRow>> changes) {
    return ROWS.change(changes);
  }
}
