package io.stoker.dispatcher.store;

import com.fasterxml.jackson.databind.JsonNode;
import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.experiment.EarlyStopRules.Series;
import io.stoker.dispatcher.ledger.IntermediateRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The table of intermediate results. */
public final class IntermediateTable {
  private static final Batch<IntermediateRow> ROWS =
      new Batch<IntermediateRow>("intermediate_result")
          .key("job", "text", IntermediateRow::job)
          .key("attempt", "integer", IntermediateRow::attempt)
          .key("seq", "integer", IntermediateRow::seq)
          .column("at", "bigint", IntermediateRow::at)
          .column("score", "float8", IntermediateRow::score)
          .column("result", "text", IntermediateRow::result);

  private IntermediateTable() {}

  static Write insert(List<IntermediateRow> rows) {
    return ROWS.insert(rows, "do nothing");
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
            + " n.job = (select r.job from request r where r.id = :id) order by n.attempt desc,"
            + " n.seq desc limit :most) i order by i.attempt, i.seq";
    return Queries.list(
        session,
        sql,
        Map.of("id", request, "most", most),
        row ->
            new Said(
                row.integer(), row.bigint(), row.numberOrNull(), row.json(JsonNode.class, null)));
  }

  /** Scores of a group's jobs that run or have succeeded, each of its newest attempt. */
  public static Uni<List<Series>> series(StatelessSession session, String group) {
    String sql =
        "select j.id, j.state, i.score from request r join job j on j.id = r.job and"
            + " j.first_request = r.id join intermediate_result i on i.job = j.id and i.attempt ="
            + " j.attempt where r.grp = :grp and r.ended is null and not j.ending and j.state in"
            + " ('RUNNING', 'SUCCEEDED') and i.score is not null order by j.id, i.seq";
    record Point(String job, String state, double score) {}
    return Queries.list(
            session,
            sql,
            Map.of("grp", group),
            row -> new Point(row.text(), row.text(), row.number()))
        .map(
            points -> {
              Map<String, List<Point>> byJob = new LinkedHashMap<>();
              points.forEach(
                  point -> byJob.computeIfAbsent(point.job(), job -> new ArrayList<>()).add(point));
              Stream<List<Point>> jobs = byJob.values().stream();
              return jobs.map(
                      of ->
                          new Series(
                              of.getFirst().job(),
                              of.stream().mapToDouble(Point::score).toArray(),
                              of.getFirst().state().equals("SUCCEEDED")))
                  .toList();
            });
  }

  /**
   * Notes that a job was judged at a step.
   *
   * @return false if it had been before, at this or a later one
   */
  public static Uni<Boolean> first(StatelessSession session, String job, int step) {
    String sql =
        "insert into early_stop_check as c (job, attempt, step) select j.id, j.attempt, :step from job"
            + " j where j.id = :job on conflict (job, attempt) do update set step = excluded.step"
            + " where c.step < excluded.step returning c.job";
    return Queries.list(session, sql, Map.of("job", job, "step", step), Row::text)
        .map(rows -> !rows.isEmpty());
  }
}
