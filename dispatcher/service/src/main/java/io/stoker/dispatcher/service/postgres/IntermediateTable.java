package io.stoker.dispatcher.service.postgres;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.Reached;
import io.stoker.dispatcher.experiment.Standing;
import io.stoker.dispatcher.experiment.Standing.Scores;
import io.stoker.dispatcher.model.IntermediateRow;
import io.stoker.dispatcher.store.Intermediates;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of intermediate results. */
public record IntermediateTable(StatelessSession session) implements Intermediates {
  /** To Postgres NaN is the greatest of all numbers. */
  private static final String REAL = "nullif(cast(u.score as float8), 'NaN')";

  private static final Batch<IntermediateRow> ROWS =
      new Batch<IntermediateRow>("intermediate_result")
          .key("job", "text", IntermediateRow::job)
          .key("attempt", "integer", IntermediateRow::attempt)
          .key("seq", "integer", IntermediateRow::seq)
          .column("at", "bigint", IntermediateRow::at)
          .derived("score", "cast(u.score as float8)", IntermediateRow::score)
          .column("result", "text", IntermediateRow::result)
          .computed("n", "coalesce(b.n, 0) + count(u.score) over w")
          .computed(
              "total", "coalesce(b.total, 0) + coalesce(sum(cast(u.score as numeric)) over w, 0)")
          .computed("least", "least(b.least, min(" + REAL + ") over w)")
          .computed("most", "greatest(b.most, max(" + REAL + ") over w)")
          .beside(
              """
              left join lateral (select p.n, p.total, p.least, p.most from intermediate_result p
                where p.job = u.job and p.attempt = u.attempt
                  and p.score is not null order by p.n desc limit 1) b on true
              where not exists (select 1 from intermediate_result o where o.job = u.job
                and o.attempt = u.attempt and o.seq = u.seq)
              window w as (partition by u.job, u.attempt order by u.seq)
              """);

  /**
   * Rows that come after those of their attempts that are there, in order of arrival: one that
   * others overtook counts when it comes, and one that is told again does not.
   */
  static Write insert(List<IntermediateRow> rows) {
    Map<List<Object>, IntermediateRow> once = new LinkedHashMap<>();
    rows.forEach(row -> once.putIfAbsent(List.of(row.job(), row.attempt(), row.seq()), row));
    return ROWS.insert(List.copyOf(once.values()), "do nothing");
  }

  /**
   * A result that a job gave while it ran.
   *
   * @param at ms since 1970
   */
  public record Said(int attempt, long at, Double score, JsonNode result) {}

  /** Those of a request's job, in order, the last {@code most} of them. */
  public static Uni<List<Said>> of(StatelessSession session, String request, int most) {
    String sql =
        "select i.attempt, i.at, i.score, i.result from (select n.* from intermediate_result n where"
            + " n.job = (select coalesce(cast(j.answered_by as json) ->> 'job', r.job) from request r"
            + " left join job j on j.id = r.job where r.id = :id) order by n.attempt desc,"
            + " n.seq desc limit :most) i order by i.attempt, i.seq";
    return Queries.list(
        session,
        sql,
        Map.of("id", request, "most", most),
        row ->
            new Said(
                row.integer(), row.bigint(), scoreOrNull(row), row.json(JsonNode.class, null)));
  }

  @Override
  public Uni<List<Reached>> reached(Collection<String> jobs) {
    String sql =
        """
        select j.id, i.n, coalesce(c.step, 0) from job j
        cross join lateral (select p.n from intermediate_result p where p.job = j.id
          and p.attempt = j.attempt and p.score is not null order by p.n desc limit 1) i
        left join early_stop_check c on c.job = j.id and c.attempt = j.attempt
        where j.id = any(cast(:keys as text[])) and j.state = 'RUNNING' and not j.ending
        order by j.id
        """;
    return Queries.listOf(
        session, sql, jobs, row -> new Reached(row.text(), row.integer(), row.integer()));
  }

  /** To Postgres a total that no double holds is an error: as one it is infinite. */
  @Override
  public Uni<List<Standing>> standings(String group, int step) {
    String sql =
        """
        select j.id, j.state, i.n, case
            when i.total > 1.7976931348623157e308 and i.total <> 'NaN' then 'Infinity'
            when i.total < -1.7976931348623157e308 then '-Infinity'
            else cast(i.total as float8) end,
          i.least, i.most, i.score, e.score
        from request r
        join job j on j.id = r.job and j.first_request = r.id
        join intermediate_result i on i.job = j.id and i.attempt = j.attempt and i.n = :step
          and i.score is not null
        left join lateral (select p.score from intermediate_result p where j.state = 'SUCCEEDED'
          and p.job = j.id and p.attempt = j.attempt and p.score is not null
          order by p.n desc limit 1) e on true
        where r.grp = :grp and r.ended is null and not j.ending
          and j.state in ('RUNNING', 'SUCCEEDED')
        order by j.id
        """;
    return Queries.list(
        session, sql, Map.of("grp", group, "step", step), IntermediateTable::standing);
  }

  @Override
  public Uni<Integer> furthestOther(String group, String job) {
    String sql =
        """
        select coalesce(max(i.n), 0) from request r
        join job j on j.id = r.job and j.first_request = r.id
        cross join lateral (select p.n from intermediate_result p where p.job = j.id
          and p.attempt = j.attempt and p.score is not null order by p.n desc limit 1) i
        where r.grp = :grp and r.ended is null and not j.ending and j.id <> :job
          and j.state in ('RUNNING', 'SUCCEEDED')
        """;
    return Queries.list(session, sql, Map.of("grp", group, "job", job), Row::integer)
        .map(List::getFirst);
  }

  private static Standing standing(Row row) {
    String job = row.text();
    boolean finished = row.text().equals("SUCCEEDED");
    Scores upToIt = new Scores(row.integer(), row.number(), real(row), real(row));
    double last = row.number();
    Double end = row.numberOrNull();
    return new Standing(
        job,
        upToIt,
        last,
        finished && end != null ? OptionalDouble.of(end) : OptionalDouble.empty());
  }

  private static Double scoreOrNull(Row row) {
    Double score = row.numberOrNull();
    return score == null || score.isNaN() ? null : score;
  }

  private static double real(Row row) {
    Double number = row.numberOrNull();
    return number == null ? Double.NaN : number;
  }

  @Override
  public Uni<double[]> scores(String job, int step) {
    String sql =
        "select i.score from job j join intermediate_result i on i.job = j.id and i.attempt ="
            + " j.attempt where j.id = :job and i.score is not null and i.n <= :step order by i.n";
    return Queries.list(session, sql, Map.of("job", job, "step", step), Row::number)
        .map(scores -> scores.stream().mapToDouble(Double::doubleValue).toArray());
  }

  @Override
  public Uni<Set<String>> first(Collection<String> jobs, int step) {
    String sql =
        "insert into early_stop_check as c (job, attempt, step) select j.id, j.attempt, :step from job"
            + " j where j.id = any(cast(:keys as text[])) order by j.id on conflict (job, attempt) do"
            + " update set step = excluded.step where c.step < excluded.step returning c.job";
    Map<String, Object> values = Map.of("keys", Queries.array(jobs), "step", step);
    return Queries.list(session, sql, values, Row::text).map(Set::copyOf);
  }
}
