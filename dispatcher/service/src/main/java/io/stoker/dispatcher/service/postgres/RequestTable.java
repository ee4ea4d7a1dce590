package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.size.Limits;
import io.stoker.common.state.Code;
import io.stoker.common.state.RequestState;
import io.stoker.dispatcher.model.IdentityMap.Change;
import io.stoker.dispatcher.model.Input;
import io.stoker.dispatcher.model.RequestRow;
import io.stoker.dispatcher.model.RequestRow.Bound;
import io.stoker.dispatcher.model.RequestRow.End;
import io.stoker.dispatcher.model.RequestRow.Posted;
import io.stoker.dispatcher.store.Requests;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of requests. */
public record RequestTable(StatelessSession session) implements Requests {
  private static final String SMALL =
      "coalesce(octet_length(r.spec) + coalesce(octet_length(r.resolved), 0) <= %d, true)"
          .formatted(Limits.REQUEST_WITH_ROW);
  private static final String SHARING =
      " from request r where r.ended is null%s and r.id in (select j.first_request from job j"
          + " where j.id = any(cast(:keys as text[])) union all select s.id from request s where"
          + " s.job = any(cast(:keys as text[])) and s.attached and not s.cached) order by r.id";

  private static final Batch<RequestRow> ROWS =
      new Batch<>("request", 1, RequestTable::map)
          .kept("spec, resolved")
          .later("resolved, ended, code, reason, queued_at")
          .together("version, ended, code, reason, stop_requested");

  private static final String COLUMNS = ROWS.columns("r", Map.of("spec_left_out", "false"));
  private static final String BY_ID =
      "select " + COLUMNS + " from request r where r.id = any(cast(:keys as text[]))";

  /** Of many that are loaded at once large ones are left out, and read when they are needed. */
  private static final String FIRST =
      "select j.id as started, exists (select 1 from request s where s.job = j.id and s.attached"
          + " and not s.cached), exists (select 1 from dependency d where d.depends_on = r.id),"
          + " cast(r.xmin as text), "
          + ROWS.columns(
              "r",
              Map.of(
                  "spec",
                  "case when %s then r.spec end".formatted(SMALL),
                  "resolved",
                  "case when %s then r.resolved end".formatted(SMALL),
                  "spec_left_out",
                  "not " + SMALL))
          + " from job j join request r on r.id = j.first_request where j.id = any(cast(:keys as"
          + " text[]))";

  private static RequestRow map(Row row) {
    return new RequestRow(
        row.at("id", RequestRow::id).text(),
        row.at("version", RequestRow::version).bigint(),
        posted(row),
        bound(row),
        row.at("missing", RequestRow::missing).integer(),
        end(row),
        row.at("reason", RequestRow::reason).text(),
        row.at("stop_requested", RequestRow::stopRequested).flag());
  }

  /** Null for a placeholder, which has no text. */
  private static Posted posted(Row row) {
    Posted posted =
        new Posted(
            row.at("seq", RequestRow::seq).bigint(),
            row.at("spec", RequestRow::spec).text(),
            row.at("resolved", RequestRow::resolved).text(),
            row.at("spec_left_out").flag(),
            row.at("queue", RequestRow::queue).text(),
            row.at("grp", RequestRow::group).text(),
            row.at("sent_by", (RequestRow request) -> request.sentBy()).text());
    return posted.spec() == null && !posted.leftOut() ? null : posted;
  }

  private static Bound bound(Row row) {
    Bound bound =
        new Bound(
            row.at("fingerprint", RequestRow::fingerprint).text(),
            row.at("job", RequestRow::job).text(),
            row.at("attached", RequestRow::attached).flag(),
            row.at("cached", RequestRow::cached).flag(),
            row.at("queued_at", RequestRow::queuedAt).bigintOrNull());
    return bound.job() == null ? null : bound;
  }

  private static End end(Row row) {
    End end =
        new End(
            row.at("ended", (RequestRow request) -> request.ended()).constant(RequestState.class),
            row.at("code", RequestRow::code).knownConstant(Code.class));
    return end.state() == null ? null : end;
  }

  @Override
  public Uni<List<RequestRow>> lock(Collection<String> ids) {
    return Queries.listOf(session, BY_ID + " order by r.id for update", ids, ROWS::map);
  }

  @Override
  public Uni<List<RequestRow>> read(Collection<String> ids) {
    return Queries.listOf(session, BY_ID, ids, ROWS::map);
  }

  @Override
  public Uni<Map<String, String>> specs(Collection<String> ids) {
    String sql =
        "select r.id, r.spec from request r where r.id = any(cast(:keys as text[])) and r.spec is"
            + " not null";
    return Queries.byKeyOf(session, sql, ids, Row::text);
  }

  @Override
  public Uni<Map<String, Input>> inputs(Collection<String> ids) {
    String sql =
        "select r.id, r.fingerprint, r.job, coalesce(r.ended, j.state),"
            + " coalesce(octet_length(j.result), 0) from request r left join job j on j.id = r.job"
            + " where r.id = any(cast(:keys as text[]))";
    return Queries.byKeyOf(
        session,
        sql,
        ids,
        row -> new Input(row.text(), row.text(), row.constant(RequestState.class), row.integer()));
  }

  @Override
  public Uni<List<RequestRow>> lockSharing(Collection<String> jobs) {
    return Queries.listOf(
        session, "select " + COLUMNS + SHARING.formatted("") + " for update", jobs, ROWS::map);
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
    return Queries.list(session, sql, parameters, ROWS::map);
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
        row -> new First(row.text(), row.flag(), row.flag(), row.text(), ROWS.map(row)));
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
