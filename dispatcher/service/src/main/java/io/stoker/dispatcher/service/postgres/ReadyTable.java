package io.stoker.dispatcher.service.postgres;

import io.smallrye.mutiny.Uni;
import io.stoker.dispatcher.model.ReadyRow;
import io.stoker.dispatcher.model.Shape;
import io.stoker.dispatcher.placement.LineKey;
import io.stoker.dispatcher.placement.LineRead;
import io.stoker.dispatcher.placement.LineRead.Reach;
import io.stoker.dispatcher.placement.LineWalks.Waiting;
import io.stoker.dispatcher.placement.LineWalks.Walk;
import io.stoker.dispatcher.placement.LineWindow;
import io.stoker.dispatcher.placement.LineWindow.Turn;
import io.stoker.dispatcher.placement.Lookback;
import io.stoker.dispatcher.store.Line;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.hibernate.reactive.mutiny.Mutiny.StatelessSession;

/** The line: jobs that may be placed. */
public record ReadyTable(StatelessSession session) implements Line {
  /** Sorts jobs by what they take; as the index of fronts has it. */
  static final String KIND_OF_ROOM =
      """
      (case when strpos(r.shape, '"gpus":') > 0 then 1
        when strpos(r.shape, '"pool":') > 0 then 2
        when strpos(r.shape, '"runner":') > 0 then 3
        else 0 end)\
      """;

  /** All of them, for a lateral join. */
  static final String KINDS_OF_ROOM = "(values (0), (1), (2), (3)) k(kind)";

  /** What {@link LineRows#head} reads behind the job, its queue, and its shape. */
  static final String HEAD =
      "h.priority, h.seq, h.rank, j.avoid, j.fingerprint, j.profile, j.failures, h.lane, j.code";

  /** A plain join with job would be planned while there are few, and read all of them for ever. */
  private static final String JOB =
      """
      left join lateral (
        select avoid, fingerprint, profile, failures, code from job where id = h.job limit 1) j
        on true
      """;

  private static final String FIRST =
      """
      select r.job, r.lane, r.priority, r.seq, r.rank from ready r
      where r.queue = g.queue and r.shape = g.shape and r.lane = g.lane%s
        and r.job <> all(cast(:leftOut as text[]))
      order by r.rank limit a.asked
      """;

  private static final String FROM_THE_FIRST = FIRST.formatted("");

  private static final String EACH =
      "least(:least, greatest(:fewest, :total / (select count(*) from grp)))";

  /**
   * The first of every line, or of the first {@code whole} ones. The recursion skips from line to
   * line through the index, so that the work grows with the lines and not with the backlog. Where
   * there are many, fewer of each are read: the pass that follows at once reads the next ones.
   */
  private static final String WHOLE =
      """
      with recursive grp as (
        (select queue, shape, lane, 1 as n from ready order by queue, shape, lane limit 1)
        union all
        select n.queue, n.shape, n.lane, g.n + 1 from grp g cross join lateral (
          select queue, shape, lane from ready
          where (queue, shape, lane) > (g.queue, g.shape, g.lane)
          order by queue, shape, lane limit 1) n
        where g.n < :whole)
      select 0, g.n, a.asked, h.job, g.queue, g.shape, g.lane, %s
      from grp g
      left join unnest(cast(:queues as text[]), cast(:shapes as text[]), cast(:lanes as text[]),
        cast(:depths as text[])) d(queue, shape, lane, depth)
        on d.queue = g.queue and d.shape = g.shape and d.lane = g.lane
      cross join lateral (select coalesce(cast(d.depth as bigint), %s) as asked) a
      left join lateral (%s) h on true
      %s
      """
          .formatted(HEAD, EACH, FROM_THE_FIRST, JOB);

  /**
   * Of queues with very many lines those whose turn it is, and the front; and all of the others, if
   * they have not too many themselves.
   */
  private static final String BY_TURNS =
      """
      with recursive q as (
        (select queue from ready order by queue limit 1)
        union all
        select n.queue from q cross join lateral (
          select queue from ready where queue > q.queue order by queue limit 1) n),
      w as (
        select q.queue, coalesce(t.shape, '') as shape, coalesce(t.lane, '') as lane,
          t.queue is not null as turns,
          case when t.queue is null
            then greatest(:fewestLines, :whole / (select count(*) from q)) else :turns end as most
        from q left join unnest(cast(:queues as text[]), cast(:shapes as text[]),
          cast(:lanes as text[])) t(queue, shape, lane) on t.queue = q.queue),
      grp as (
        select w.queue, n.shape, n.lane, 1 as n, w.most from w cross join lateral (
          select shape, lane from ready
          where queue = w.queue and (shape, lane) > (w.shape, w.lane)
          order by shape, lane limit 1) n
        union all
        select g.queue, n.shape, n.lane, g.n + 1, g.most from grp g cross join lateral (
          select shape, lane from ready
          where queue = g.queue and (shape, lane) > (g.shape, g.lane)
          order by shape, lane limit 1) n
        where g.n < g.most)
      select h.source, h.n, h.asked, h.job, h.queue, h.shape, h.line, %s
      from (
        select 0 as source, g.n, a.asked, f.job, g.queue, g.shape, g.lane as line, f.lane,
          f.priority, f.seq, f.rank
        from grp g
        cross join lateral (select %s as asked) a
        left join lateral (%s) f on true
        union all
        select 1, 0, cast(:front as bigint), f.* from w cross join %s cross join lateral (
          select r.job, r.queue, r.shape, r.lane as line, r.lane, r.priority, r.seq, r.rank
          from ready r
          where r.queue = w.queue and %s = k.kind and r.job <> all(cast(:leftOut as text[]))
          order by r.rank limit :front) f
        where w.turns) h
      %s
      """
          .formatted(HEAD, EACH, FROM_THE_FIRST, KINDS_OF_ROOM, KIND_OF_ROOM, JOB);

  /**
   * Some lines from a rank on. What was in line before it, and has left, is passed by only if the
   * index is entered there.
   */
  private static final String FROM =
      """
      select 0, 0, a.asked, h.job, g.queue, g.shape, g.lane, %s
      from unnest(cast(:queues as text[]), cast(:shapes as text[]), cast(:lanes as text[]),
        cast(:ranks as text[]), cast(:depths as text[])) g(queue, shape, lane, start, depth)
      cross join lateral (
        select cast(g.start as bigint) as start, cast(g.depth as bigint) as asked) a
      cross join lateral (%s) h
      %s
      """
          .formatted(HEAD, FIRST.formatted(" and r.rank >= a.start"), JOB);

  /** Jobs by their ids, beside what is read otherwise. */
  private static final String NAMED =
      """
      union all
      select 2, 0, 1, h.job, h.queue, h.shape, h.lane, %s
      from ready h
      %s
      where h.job = any(cast(:named as text[])) and h.job <> all(cast(:leftOut as text[]))
      """
          .formatted(HEAD, JOB);

  private static final String BEHIND =
      """
      select r.job, r.rank, j.code is not distinct from 'UNSATISFIABLE', j.failures is null
      from (
        select job, rank from ready
        where queue = :queue and shape = :shape and lane = :lane and rank > :after
        order by rank limit :most) r
      cross join lateral (select code, failures from job where id = r.job limit 1) j
      order by r.rank
      """;

  /**
   * Only a group with a plan has a lane of its own; where none is told, it stays as it is: as it is
   * once the row is held, for the group may be getting its plan just now.
   */
  private static final String LANE =
      """
      coalesce(case when u.lane is null
        then (select o.lane from ready o where o.job = u.job for update)
        else (select e.name from experiment e where e.name = u.lane and e.ended_at is null) end, '')""";

  private static final Batch<ReadyRow> ROWS =
      new Batch<ReadyRow>("ready")
          .key("job", "text", ReadyRow::job)
          .column("queue", "text", ReadyRow::queue)
          .column("shape", "text", ReadyRow::shape)
          .column("priority", "integer", ReadyRow::priority)
          .column("seq", "bigint", ReadyRow::seq)
          .column("rank", "bigint", ReadyRow::rank)
          .derived("lane", LANE, ReadyRow::group);

  private static final Batch<String> JOBS =
      new Batch<String>("ready").key("job", "text", job -> job);

  @Override
  public Uni<List<String>> some(int most) {
    return Queries.list(
        session, "select r.job from ready r limit :most", Map.of("most", most), Row::text);
  }

  @Override
  public Uni<LineRead> read(
      LineWindow window, Collection<String> named, Collection<String> leftOut) {
    Map<String, Object> parameters = new HashMap<>(bounds());
    parameters.put("leftOut", Queries.array(leftOut));
    return window.many() ? byTurns(window, named, parameters) : whole(window, named, parameters);
  }

  private Uni<LineRead> whole(
      LineWindow window, Collection<String> named, Map<String, Object> parameters) {
    parameters.putAll(lines(window.deeper(), depth -> depth));
    parameters.put("whole", window.whole());
    return list(WHOLE, named, parameters);
  }

  private Uni<LineRead> byTurns(
      LineWindow window, Collection<String> named, Map<String, Object> parameters) {
    List<Map.Entry<String, Turn>> turns = List.copyOf(window.turns().entrySet());
    parameters.put("queues", array(turns, Map.Entry::getKey));
    parameters.put("shapes", array(turns, entry -> entry.getValue().shape()));
    parameters.put("lanes", array(turns, entry -> entry.getValue().plannedGroup()));
    parameters.put("fewestLines", LineWindow.FEWEST_LINES);
    parameters.put("whole", window.whole());
    parameters.put("turns", window.linesOfEach());
    parameters.put("front", window.frontOfEach());
    return list(BY_TURNS, named, parameters);
  }

  @Override
  public Uni<LineRead> from(
      Map<LineKey, Reach> lines, Collection<String> named, Collection<String> leftOut) {
    if (lines.isEmpty() && named.isEmpty()) {
      return Uni.createFrom().item(LineRead.NOTHING);
    }
    Map<String, Object> parameters = lines(lines, Reach::depth);
    parameters.put(
        "ranks", array(List.copyOf(lines.values()), reach -> Long.toString(reach.from())));
    parameters.put("leftOut", Queries.array(leftOut));
    return list(FROM, named, parameters);
  }

  private static Map<String, Object> bounds() {
    return Map.of("least", Lookback.LEAST, "fewest", Lookback.FEWEST, "total", Lookback.TOTAL);
  }

  private static <T> Map<String, Object> lines(Map<LineKey, T> asked, ToIntFunction<T> depth) {
    List<Map.Entry<LineKey, T>> lines = List.copyOf(asked.entrySet());
    Map<String, Object> parameters = new HashMap<>();
    parameters.put("queues", array(lines, line -> line.getKey().queue()));
    parameters.put("shapes", array(lines, line -> line.getKey().shape()));
    parameters.put("lanes", array(lines, line -> line.getKey().plannedGroup()));
    parameters.put(
        "depths", array(lines, line -> Integer.toString(depth.applyAsInt(line.getValue()))));
    return parameters;
  }

  private static <T> String[] array(List<T> rows, Function<T, String> value) {
    return rows.stream().map(value).toArray(String[]::new);
  }

  private Uni<LineRead> list(
      String lines, Collection<String> named, Map<String, Object> parameters) {
    Map<String, Shape> shapes = new HashMap<>();
    if (!named.isEmpty()) {
      parameters.put("named", Queries.array(named));
    }
    return Queries.list(
            session,
            named.isEmpty() ? lines : lines + NAMED,
            parameters,
            row -> LineRows.entry(row, shapes))
        .map(LineRows::collect);
  }

  @Override
  public Uni<List<Waiting>> behind(Walk walk, int most) {
    io.stoker.dispatcher.placement.Line line = walk.line();
    return Queries.list(
        session,
        BEHIND,
        Map.of(
            "queue",
            line.queue(),
            "shape",
            line.shape().text(),
            "lane",
            line.plannedGroup() == null ? "" : line.plannedGroup(),
            "after",
            walk.after(),
            "most",
            most),
        row -> new Waiting(row.text(), row.bigint(), row.flag(), row.flag()));
  }

  @Override
  public Uni<Integer> foldCounts() {
    String sql =
        """
        with gone as (delete from line_entry returning queue, jobs)
        insert into line_count as c (queue, jobs)
        select queue, sum(jobs) from gone group by queue order by queue
        on conflict (queue) do update set jobs = c.jobs + excluded.jobs
        """;
    return Queries.execute(session, sql, Map.of());
  }

  @Override
  public Uni<Long> count(String queue, int most) {
    return Queries.single(
        session,
        "select count(*) from (select 1 from ready r where r.queue = :queue limit :most) few",
        Map.of("queue", queue, "most", most),
        Row::bigint);
  }

  static Write insert(List<ReadyRow> rows) {
    String conflict =
        "(job) do update set priority = excluded.priority, shape = excluded.shape,"
            + " rank = excluded.rank, lane = excluded.lane";
    return ROWS.insert(rows, conflict);
  }

  static Write delete(List<String> jobs) {
    return JOBS.delete(jobs);
  }
}
