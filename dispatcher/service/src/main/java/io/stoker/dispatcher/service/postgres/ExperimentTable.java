package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.common.json.Json;
import io.stoker.dispatcher.experiment.Best;
import io.stoker.dispatcher.experiment.ExperimentRow;
import io.stoker.dispatcher.experiment.ExperimentRow.State;
import io.stoker.dispatcher.experiment.ExperimentRules;
import io.stoker.dispatcher.experiment.ExperimentRules.Tally;
import io.stoker.dispatcher.experiment.Objective;
import io.stoker.dispatcher.experiment.Plan;
import io.stoker.dispatcher.experiment.Progress;
import io.stoker.dispatcher.model.GroupLimit;
import io.stoker.dispatcher.model.Numbers;
import io.stoker.dispatcher.store.Experiments;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of groups with a plan. */
public record ExperimentTable(StatelessSession session) implements Experiments {
  private static final String COLUMNS =
      "e.name, e.plan, e.state, e.reason, e.created_at, e.ended_at, e.best, e.best_score";

  private static final String SELECT = "select " + COLUMNS + " from experiment e where ";

  /** Sums over what is folded and what is not yet: one of them alone would lack something. */
  private static final String SUM =
      """
      (select cast(coalesce(sum(c.n), 0) as bigint) from (
        select %2$s as n from group_count where grp = e.%1$s
        union all select %2$s from group_entry where grp = e.%1$s) c)
      """;

  private static final String DONE = "succeeded + failed + cancelled";

  private static final String CLOSED =
      "exists (select 1 from group_count where grp = e.%s and closed_at is not null)";

  /** Open jobs with who started them, whatever the planner believes of the tables beside these. */
  private static final String OPEN =
      """
      (select distinct job from attempt) a
        cross join lateral (select id, first_request from job where id = a.job limit 1) j
        cross join lateral (
          select job, ended, grp from request where id = j.first_request limit 1) r
      """;

  /**
   * Open jobs in whose line it has a say, as {@link io.stoker.dispatcher.model.UnitOfWork} puts
   * them there: those that it has started; and those that who started them has left, if all that
   * remain are of the group, or nobody remains and the job is being ended.
   */
  private static final String RUNNING =
      """
      (select count(*) from %s
        where e.name = case when r.job = j.id and r.ended is null then r.grp else (
          select case when count(*) = 0 then r.grp
            when count(distinct coalesce(s.grp, '')) = 1 then min(s.grp) end
          from request s where s.job = j.id and s.attached and not s.cached
            and s.ended is null) end)
      """
          .formatted(OPEN);

  /** Whether something runs that the group before it has started: what remains of that goes on. */
  private static final String BEFORE_RUNS =
      "exists (select 1 from " + OPEN + " where r.grp = e.after)";

  /**
   * Requests of the group before it that share a job which waits for that group's end, since it was
   * started by one that comes after it.
   */
  private static final String WAIT_FOR_IT =
      """
      (with recursive behind as (
          select x.name from experiment x where x.after = e.after and x.ended_at is null
          union
          select x.name from experiment x join behind b on x.after = b.name
          where x.ended_at is null)
        select count(*) from request s
        cross join lateral (select id, first_request, state from job where id = s.job limit 1) j
        cross join lateral (
          select job, ended, grp from request where id = j.first_request limit 1) r
        where s.grp = e.after and s.attached and not s.cached and s.ended is null
          and j.state = 'QUEUED' and r.job = j.id and r.ended is null
          and r.grp in (select name from behind))
      """;

  private static final String MAY_BEGIN =
      """
      e.after is null or (%1$s and case
        when %2$s <= %3$s then true
        when %4$s then false
        else %2$s <= %3$s + %5$s end)
      """
          .formatted(
              CLOSED.formatted("after"),
              SUM.formatted("after", "total"),
              SUM.formatted("after", DONE),
              BEFORE_RUNS,
              WAIT_FOR_IT);

  private static final String TALLIES =
      "select "
          + COLUMNS
          + ", "
          + SUM.formatted("name", "total")
          + ", "
          + SUM.formatted("name", DONE)
          + ", "
          + SUM.formatted("name", "failed")
          + ", "
          + RUNNING
          + ", "
          + CLOSED.formatted("name")
          + ", "
          + MAY_BEGIN
          + " from experiment e where ";

  /**
   * A result's score, as {@link Numbers} finds it; else null. To Postgres a number that is too near
   * to 0 for its type is an error, for jsonb too: json keeps it as it was written.
   */
  static final String SCORE =
      """
      (select case
          when s.score ~ 'E-([0-9][0-9][0-9][0-9]|[4-9][0-9][0-9]|3[3-9][0-9]|32[4-9])' then 0
          else cast(s.score as float8) end
        from (select coalesce(
          substring(j.result from '^-*[0-9][-0-9.eE+]*$'),
          case when j.result ~ '^\\[[-0-9.eE+]+(,([-0-9.eE+]+|"NaN"|"-*Infinity"))*\\]$'
            then substring(j.result from '^\\[(-*[0-9][-0-9.eE+]*)') end,
          case when j.result like '{%'
            and json_typeof(cast(j.result as json) -> 'score') = 'number'
            then cast(j.result as json) ->> 'score' end) as score) s)\
      """;

  private static ExperimentRow map(Row row) {
    return new ExperimentRow(
        row.text(),
        row.json(Plan.class, Plan.plain(null)),
        row.constant(State.class),
        row.text(),
        row.bigint(),
        row.bigintOrNull(),
        row.text(),
        row.numberOrNull());
  }

  private static Progress progress(Row row) {
    return new Progress(
        map(row),
        new Tally(row.bigint(), row.bigint(), row.bigint(), row.integer(), row.flag(), row.flag()));
  }

  @Override
  public Uni<Optional<ExperimentRow>> find(String name) {
    return Queries.first(
        session, SELECT + "e.name = :name", Map.of("name", name), ExperimentTable::map);
  }

  @Override
  public Uni<List<ExperimentRow>> lockShared(Collection<String> names) {
    String sql = SELECT + "e.name = any(cast(:keys as text[])) order by e.name for share";
    // Apart, since a statement sees what was there before it waited; in one round trip all the
    // same.
    return Uni.combine()
        .all()
        .unis(
            Locks.enter(session, names), Queries.listOf(session, sql, names, ExperimentTable::map))
        .with((entered, rows) -> rows);
  }

  @Override
  public Uni<Optional<ExperimentRow>> lock(String name) {
    return Queries.first(
        session, SELECT + "e.name = :name for update", Map.of("name", name), ExperimentTable::map);
  }

  @Override
  public Uni<List<Progress>> progress(Collection<String> names) {
    String sql = TALLIES + "e.name = any(cast(:keys as text[]))";
    return Queries.listOf(session, sql, names, ExperimentTable::progress);
  }

  @Override
  public Uni<Map<String, GroupLimit>> limits(Collection<String> names) {
    return progress(names)
        .map(
            all ->
                all.stream()
                    .collect(
                        Collectors.toMap(
                            one -> one.row().name(),
                            one -> ExperimentRules.limit(one.row(), one.tally()))));
  }

  @Override
  public Uni<List<Progress>> open() {
    return Queries.list(
        session, TALLIES + "e.ended_at is null", Map.of(), ExperimentTable::progress);
  }

  @Override
  public Uni<Optional<String>> madeBy(String message) {
    return Queries.first(
        session,
        "select e.name from experiment e where e.creation = :id",
        Map.of("id", message),
        Row::text);
  }

  @Override
  public Uni<Set<String>> taken(String name, boolean anyGroup) {
    String sql =
        "select e.name from experiment e where starts_with(e.name, :name)"
            + (anyGroup
                ? " union select grp from group_count where starts_with(grp, :name) union select"
                    + " grp from group_entry where starts_with(grp, :name)"
                : "");
    return Queries.list(session, sql, Map.of("name", name), Row::text).map(Set::copyOf);
  }

  @Override
  public Uni<List<String>> chain(String from) {
    String sql =
        "with recursive chain as (select e.after as name, 1 as depth from experiment e where e.name"
            + " = :from and e.after is not null union all select e.after, c.depth + 1 from chain c"
            + " join experiment e on e.name = c.name where e.after is not null and c.depth < 10000)"
            + " select name from chain";
    return Queries.list(session, sql, Map.of("from", from), Row::text);
  }

  @Override
  public Uni<Void> insert(ExperimentRow row, String creation) {
    Map<String, Object> values = new HashMap<>();
    values.put("name", row.name());
    values.put("creation", creation);
    values.put("plan", Json.text(row.plan()));
    values.put("after", text(row.plan().after()));
    values.put("state", row.state().name());
    values.put("reason", text(row.reason()));
    values.put("created", row.createdAt());
    return Locks.plan(session, row.name()).chain(() -> insert(values));
  }

  private Uni<Void> insert(Map<String, Object> values) {
    return Queries.execute(
            session,
            "insert into experiment (name, creation, plan, after, state, reason, created_at) values"
                + " (:name, :creation, :plan, nullif(:after, ''), :state, nullif(:reason, ''),"
                + " :created) on conflict do nothing",
            values)
        .invoke(
            inserted -> {
              if (inserted == 0) {
                throw new ConcurrentInsert("experiment");
              }
            })
        .replaceWithVoid();
  }

  private static String text(String value) {
    return value == null ? "" : value;
  }

  @Override
  public Uni<Integer> takeLane(String name) {
    return Queries.execute(
        session,
        "update ready d set lane = :name from job j join request r on r.id = j.first_request where"
            + " d.job = j.id and r.grp = :name and r.job = j.id and r.ended is null and d.lane <>"
            + " :name",
        Map.of("name", name));
  }

  @Override
  public Uni<Void> update(ExperimentRow row) {
    Map<String, Object> values = new HashMap<>();
    values.put("name", row.name());
    values.put("state", row.state().name());
    values.put("reason", text(row.reason()));
    values.put("ended", row.endedAt() == null ? 0L : row.endedAt());
    values.put("best", text(row.best()));
    values.put("score", row.bestScore() == null ? 0.0 : row.bestScore());
    return Queries.execute(
            session,
            "update experiment set state = :state, reason = nullif(:reason, ''), ended_at ="
                + " nullif(cast(:ended as bigint), 0), best = nullif(:best, ''), best_score = case"
                + " when :best <> '' then cast(:score as float8) end where name = :name",
            values)
        .replaceWithVoid();
  }

  @Override
  public Uni<Optional<Best>> best(String group, Objective objective) {
    String sql =
        "select s.id, s.score from (select r.id, r.seq, "
            + SCORE
            + " as score from request r join job j on j.id = r.job where r.grp = :grp and r.ended"
            + " is null and j.state = 'SUCCEEDED') s where s.score is not null order by s.score "
            + (objective == Objective.MAX ? "desc" : "asc")
            + ", s.seq, s.id limit 1";
    return Queries.first(
        session, sql, Map.of("grp", group), row -> new Best(row.text(), row.number()));
  }

  @Override
  public Uni<List<Member>> unended(String group, boolean waiting, Member after, int most) {
    String sql =
        "select r.seq, r.id from request r left join job j on j.id = r.job where r.grp = :grp and"
            + " r.spec is not null and r.ended is null and not r.stop_requested and (j.id is null"
            + " or j.state = 'QUEUED' or j.state "
            + (waiting ? "= 'PLACED' and j.host is null" : "in ('PLACED', 'RUNNING')")
            + ") and r.seq >= :seq and (r.seq, r.id) > (:seq, :id) order by r.seq, r.id limit"
            + " :most";
    return Queries.list(
        session,
        sql,
        Map.of("grp", group, "seq", after.seq(), "id", after.id(), "most", most),
        row -> new Member(row.bigint(), row.text()));
  }
}
